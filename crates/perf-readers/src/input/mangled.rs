//! Text that a console has mangled: UTF-8 that was taken for one of the code pages of Windows, as PowerShell does with
//! the output of other programs. `│` is there as `Γöé`, `Ôöé` or `â”‚`, and `µs` as `┬╡s`, `┬Ás` or `Âµs`.

use std::io::Read;

use crate::input::rewritten::Rewritten;

/// The characters of the bytes from 128 up.
pub(crate) struct Page {
    characters: &'static str,
    /// Texts found only where UTF-8 was taken for this page.
    marks: [&'static str; 6],
}

/// The code pages of consoles: 437 in America, 850 in Europe, and 1252 for what is no console.
static PAGES: [Page; 3] = [
    Page {
        characters: concat!(
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ",
            "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
        ),
        marks: ["Γö", "Γ£", "ΓÇ", "┬╡s", " ┬▒", "ΓêÆ"],
    },
    Page {
        characters: concat!(
            "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ",
            "áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐",
            "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀",
            "ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
        ),
        marks: ["Ôö", "Ô£", "ÔÇ", "┬Ás", " ┬▒", "ÔêÆ"],
    },
    Page {
        characters: concat!(
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ",
            "\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿",
            "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß",
            "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
        ),
        marks: ["â”", "âœ", "â€", "Âµs", " Â±", "âˆ’"],
    },
];

/// The longest run of bytes outside ASCII in a text; anything longer is no text.
const LONGEST: usize = 4096;

/// Returns the code page that a text was taken for; `None` without any of its marks.
pub(crate) fn page(head: &[u8]) -> Option<&'static Page> {
    if head.is_ascii() {
        return None;
    }
    let has = |mark: &&&str| memchr::memmem::find(head, mark.as_bytes()).is_some();
    let marks = |page: &Page| page.marks.iter().filter(has).count();
    // Some characters are the same in two pages: most marks decide, then the first page.
    let most = PAGES.iter().rev().max_by_key(|page| marks(page))?;
    (marks(most) > 0).then_some(most)
}

impl Page {
    /// The text as it was, but for what was no UTF-8 before either.
    fn restored(&self, text: &[u8]) -> Vec<u8> {
        let mut restored = Vec::with_capacity(text.len());
        for run in text.chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
            let is_ascii = run.first().is_none_or(u8::is_ascii);
            match self.bytes(run).filter(|_| !is_ascii) {
                Some(bytes) => restored.extend(bytes),
                None => restored.extend_from_slice(run),
            }
        }
        restored
    }

    /// The bytes of which the characters were made, if they are UTF-8.
    fn bytes(&self, run: &[u8]) -> Option<Vec<u8>> {
        let byte = |c: char| {
            let place = self.characters.chars().position(|known| known == c)?;
            u8::try_from(place + 128).ok()
        };
        let bytes = std::str::from_utf8(run)
            .ok()?
            .chars()
            .map(byte)
            .collect::<Option<Vec<u8>>>()?;
        std::str::from_utf8(&bytes).is_ok().then_some(bytes)
    }
}

/// Reads what a console has mangled as it was.
pub(crate) fn restored<R: Read>(page: &'static Page, input: R) -> impl Read {
    Rewritten::new(input, |raw: &mut Vec<u8>, ended| {
        let last = raw.iter().rposition(u8::is_ascii).map_or(0, |at| at + 1);
        let end = if ended || raw.len() - last > LONGEST {
            raw.len()
        } else {
            last
        };
        page.restored(&raw.drain(..end).collect::<Vec<u8>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lines::tests::Dribble;

    /// Mangles a text as a console does.
    fn mangled(text: &str, page: &Page) -> String {
        let characters: Vec<char> = page.characters.chars().collect();
        let character = |byte: u8| match byte {
            ..128 => char::from(byte),
            byte => characters[usize::from(byte - 128)],
        };
        text.bytes().map(character).collect()
    }

    #[test]
    fn every_page_is_undone() {
        let text = "a  fastest  │ slowest\n╰─ b  1.5 µs   │ −2 ± 3 é\n";
        for page in &PAGES {
            assert_eq!(page.characters.chars().count(), 128);
            let mangled = mangled(text, page);
            for step in [1, 3, usize::MAX] {
                let page = super::page(mangled.as_bytes()).unwrap();
                let mut undone = String::new();
                restored(page, Dribble(mangled.as_bytes(), step))
                    .read_to_string(&mut undone)
                    .unwrap();
                assert_eq!(undone, text);
            }
        }
    }

    #[test]
    fn page_is_known_before_the_first_result() {
        for page in &PAGES {
            for text in ["  1 • waiting", "  ✓ passed", "’"] {
                assert!(
                    super::page(mangled(text, page).as_bytes())
                        .is_some_and(|found| std::ptr::eq(found, page))
                );
            }
        }
    }

    #[test]
    fn other_text_stays() {
        for text in ["a │ b µs ± é − 10 °C", "naïve café", "Привет", "plain"] {
            assert!(page(text.as_bytes()).is_none(), "{text}");
        }
        let mixed = "┬╡s and é and Привет";
        assert_eq!(
            PAGES[0].restored(mixed.as_bytes()),
            "µs and é and Привет".as_bytes()
        );
    }
}
