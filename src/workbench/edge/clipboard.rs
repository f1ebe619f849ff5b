//! Access to the system's clipboard on a separate thread, because display servers may be slow.

use std::sync::mpsc::{Sender, channel};

enum ClipboardJob {
    Copy(String),
    Paste(Box<dyn FnOnce(Option<String>) + Send>),
}

pub struct Clipboard {
    jobs: Option<Sender<ClipboardJob>>,
}

impl Clipboard {
    pub fn start() -> Clipboard {
        let (jobs, queue) = channel::<ClipboardJob>();
        let work = move || {
            // Kept until the program ends: on some systems the owner serves what it copied.
            let mut system = arboard::Clipboard::new().ok();
            for job in queue {
                match job {
                    ClipboardJob::Copy(text) => {
                        if let Some(system) = &mut system {
                            let _ = system.set_text(text);
                        }
                    }
                    ClipboardJob::Paste(answer) => answer(system.as_mut().and_then(|s| s.get_text().ok())),
                }
            }
        };
        let started = std::thread::Builder::new().name("clipboard".into()).spawn(work);
        Clipboard { jobs: started.ok().map(|_| jobs) }
    }

    pub fn copy(&self, text: String) {
        if let Some(jobs) = &self.jobs {
            let _ = jobs.send(ClipboardJob::Copy(text));
        }
    }

    /// Passes the clipboard's text to `answer`, or `None` if there is no system clipboard.
    pub fn paste(&self, answer: impl FnOnce(Option<String>) + Send + 'static) {
        let unanswered = match &self.jobs {
            Some(jobs) => jobs.send(ClipboardJob::Paste(Box::new(answer))).err().map(|unsent| unsent.0),
            None => Some(ClipboardJob::Paste(Box::new(answer))),
        };
        // Without the thread there is no system clipboard.
        if let Some(ClipboardJob::Paste(answer)) = unanswered {
            answer(None);
        }
    }
}
