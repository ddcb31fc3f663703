//! Chromium, driven through WebDriver requests.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

pub const ARROW_DOWN: &str = "\u{e015}";
pub const ARROW_LEFT: &str = "\u{e012}";
pub const ENTER: &str = "\u{e007}";

/// The time limit for a request, generous enough for a busy machine.
const HANGS: Duration = Duration::from_mins(1);

/// The JSON key of an element reference, from the WebDriver specification.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The window size.
#[derive(Clone, Copy)]
pub enum Screen {
    Desktop,
    Tablet,
    Phone,
}

/// A browser and its driver; dropping this ends both.
pub struct Browser {
    driver: Child,
    agent: Agent,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser; `None` if no driver is installed.
    pub fn start(screen: Screen) -> Option<Self> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines();
        let port = lines.find_map(|line| {
            let line = line.expect("the driver speaks");
            let port = line.rsplit_once("on port ")?.1.trim_end_matches('.');
            line.contains("successfully").then(|| port.to_owned())
        });
        // Keep reading, or the driver blocks on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let config = Agent::config_builder()
            .timeout_global(Some(HANGS))
            .http_status_as_error(false);
        let agent: Agent = config.build().into();
        let profile = tempfile::tempdir().expect("a folder");
        let url = format!("http://127.0.0.1:{}/session", port.expect("a port"));
        let body = capabilities(screen, &profile);
        let mut browser = Self {
            driver,
            agent,
            session: url,
            _profile: profile,
        };
        let session = browser.post("", &body)["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        browser.session = format!("{}/{session}", browser.session);
        // Discard the log of the new window's start page.
        browser.open("about:blank");
        browser.log("performance");
        Some(browser)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let response = self
            .agent
            .post(format!("{}{path}", self.session))
            .send_json(body);
        let answer: Value = response
            .expect("the driver answers")
            .body_mut()
            .read_json()
            .expect("JSON");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    /// Opens a page, and waits until it has loaded.
    pub fn open(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Runs a script, and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script returns `true`.
    pub fn wait(&self, script: &str) {
        let start = Instant::now();
        while self.run(script) != json!(true) {
            assert!(start.elapsed() < HANGS, "not reached: {script}");
            sleep(Duration::from_millis(20));
        }
    }

    /// The matching elements' texts.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!(
            "return [...document.querySelectorAll('{selector}')].map((one) => one.textContent)"
        );
        let texts = self.run(&script);
        texts
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post(
            "/element",
            &json!({ "using": "css selector", "value": selector }),
        );
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Replaces a field's text.
    pub fn write(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("/element/{element}/clear"), &json!({}));
        self.post(
            &format!("/element/{element}/value"),
            &json!({ "text": text }),
        );
    }

    /// Presses a key on an element.
    pub fn press(&self, selector: &str, key: &str) {
        let element = self.element(selector);
        self.post(
            &format!("/element/{element}/value"),
            &json!({ "text": key }),
        );
    }

    /// Chooses an option by its label.
    pub fn choose(&self, selector: &str, text: &str) {
        self.press(selector, text);
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.post("/se/log", &json!({ "type": kind }))
            .as_array()
            .expect("a list")
            .clone()
    }

    /// The messages on the console.
    pub fn console(&self) -> Vec<String> {
        self.log("browser")
            .iter()
            .map(|entry| entry["message"].to_string())
            .collect()
    }

    /// The addresses that were requested.
    pub fn requests(&self) -> Vec<String> {
        let sent = |entry: &Value| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &event["message"];
            let url = message["params"]["request"]["url"].as_str()?;
            (message["method"] == "Network.requestWillBeSent").then(|| url.to_owned())
        };
        let requests: Vec<String> = self.log("performance").iter().filter_map(sent).collect();
        assert!(!requests.is_empty(), "the log has the page itself");
        requests
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn capabilities(screen: Screen, profile: &TempDir) -> Value {
    let mut options = json!({ "args": [
        "--headless=new",
        // Tests in containers run as root, for whom Chromium has no sandbox.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--window-size=1280,900",
        format!("--user-data-dir={}", profile.path().display()),
    ] });
    if let Some(binary) = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
        .map(PathBuf::from)
        .iter()
        .find(|path| path.exists())
    {
        options["binary"] = json!(binary);
    }
    let width = match screen {
        Screen::Desktop => None,
        Screen::Tablet => Some(780),
        Screen::Phone => Some(390),
    };
    if let Some(width) = width {
        options["mobileEmulation"] =
            json!({ "deviceMetrics": { "width": width, "height": 844, "pixelRatio": 2.0 } });
    }
    json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    } } })
}
