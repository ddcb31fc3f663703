//! Conversions of a few fields that GitHub writes in another form than our types.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::names::{Account, Repo};

/// A text; an empty one for null.
pub(crate) fn text<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    Option::deserialize(field).map(Option::unwrap_or_default)
}

/// True unless the field is null.
pub(crate) fn is_present<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    Option::<IgnoredAny>::deserialize(field).map(|value| value.is_some())
}

/// The name of a repository that is described at length; `None` for null.
pub(crate) fn full_name<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Repo>, D::Error> {
    #[derive(Deserialize)]
    struct Named {
        full_name: Repo,
    }
    Ok(Option::<Named>::deserialize(field)?.map(|repository| repository.full_name))
}

/// An account; `None` for null, and for an object with nothing in it.
pub(crate) fn account<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Account>, D::Error> {
    #[derive(Deserialize)]
    struct Named {
        login: Option<String>,
        id: Option<u64>,
    }
    let account = |named: Named| {
        Some(Account {
            login: named.login?,
            id: named.id?,
        })
    };
    Ok(Option::<Named>::deserialize(field)?.and_then(account))
}
