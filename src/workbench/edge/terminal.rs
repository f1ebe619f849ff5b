//! The terminal: taken over, given back on every way out, and watched for going away.

use std::io::{self, Stdout, Write, stdout};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;

use super::backend::Sensible;
use super::recovery;

/// Whether the terminal is ours now, and has to be given back.
static TAKEN: AtomicBool = AtomicBool::new(false);

pub struct Screen {
    pub terminal: Terminal<Sensible<CrosstermBackend<Stdout>>>,
    /// The size that the terminal had said it has when it was last drawn on.
    said: Size,
}

impl Screen {
    /// Takes the terminal over.
    pub fn enter() -> io::Result<Screen> {
        take()?;
        Ok(Screen { terminal: Terminal::new(Sensible(CrosstermBackend::new(stdout())))?, said: Size::ZERO })
    }

    /// Takes it over again, after the shell had it; everything is to be drawn anew.
    pub fn resume(&mut self) -> io::Result<()> {
        take()?;
        self.redraw()
    }

    /// Makes the next frame draw every cell. (`Terminal::clear` would ask the terminal where its cursor is, and wait
    /// for the thread that reads the answers.)
    pub fn redraw(&mut self) -> io::Result<()> {
        let area = self.terminal.size()?.into();
        self.terminal.resize(area)
    }

    /// Draws a frame that appears at once.
    pub fn draw(&mut self, frame: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        queue!(stdout(), BeginSynchronizedUpdate)?;
        // A terminal may lose what it shows with any change, also one that makes no difference for what is drawn.
        let said = self.terminal.backend().said()?;
        if said != self.said {
            self.said = said;
            self.redraw()?;
        }
        self.terminal.draw(frame)?;
        execute!(stdout(), EndSynchronizedUpdate)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    quiet::begin();
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

/// Undoes everything that was done to the terminal. Can be called at any time, from any thread, and again; a terminal
/// that is gone is no reason to fail.
pub fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = stdout();
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        DisableMouseCapture,
        ResetColor,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
    let _ = out.flush();
    quiet::end();
}

/// Graphics drivers write to standard error as they please; while the screen is ours that goes nowhere.
#[cfg(unix)]
mod quiet {
    use std::fs::OpenOptions;
    use std::io::{IsTerminal, stderr};
    use std::os::fd::OwnedFd;
    use std::sync::{Mutex, PoisonError};

    /// The standard error that there was.
    static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

    pub fn begin() {
        let mut saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.is_some() || !stderr().is_terminal() {
            return;
        }
        let Ok(nowhere) = OpenOptions::new().write(true).open("/dev/null") else { return };
        let Ok(copy) = rustix::io::dup(stderr()) else { return };
        if rustix::stdio::dup2_stderr(&nowhere).is_ok() {
            *saved = Some(copy);
        }
    }

    pub fn end() {
        if let Some(copy) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = rustix::stdio::dup2_stderr(&copy);
        }
    }
}
#[cfg(not(unix))]
mod quiet {
    pub fn begin() {}
    pub fn end() {}
}

/// On a panic of this thread: the terminal is given back first, then unsaved text is put aside, then the panic is
/// reported as before. A panic of another thread only raises `notice`: the screen is still in use.
pub fn install_panic_hook(notice: impl Fn(String) + Send + Sync + 'static) {
    let screen_thread = std::thread::current().id();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo| {
        if std::thread::current().id() == screen_thread || !TAKEN.load(Ordering::SeqCst) {
            give_back();
            let rescued = recovery::rescue();
            previous(info);
            recovery::announce(rescued);
        } else {
            let place = info.location().map_or(String::new(), |l| format!(" at {}:{}", l.file(), l.line()));
            let text = info.payload_as_str().unwrap_or("no message");
            notice(format!("internal error{place}: {text}"));
        }
    }));
}

/// Stops the whole job, as ctrl-z does for programs that do not take keys raw; returns when it goes on.
#[cfg(unix)]
pub fn suspend() {
    use rustix::process::{Signal, kill_current_process_group};
    give_back();
    let _ = kill_current_process_group(Signal::TSTP);
}
#[cfg(not(unix))]
pub fn suspend() {}

/// Calls back once the terminal has gone away. Reading it is no way to find out: a terminal that is gone is readable
/// forever.
#[cfg(unix)]
pub fn watch_hangup(gone: impl FnOnce() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
    let watch = move || {
        loop {
            let out = stdout();
            let mut fds = [PollFd::new(&out, PollFlags::empty())];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => break,
                _ => {
                    // Where terminals cannot be watched, writing to them tells.
                    if crossterm::terminal::size().is_err() {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(500));
                }
            }
        }
        gone();
    };
    let _ = std::thread::Builder::new().name("hangup".into()).spawn(watch);
}
#[cfg(not(unix))]
pub fn watch_hangup(_: impl FnOnce() + Send + 'static) {}
