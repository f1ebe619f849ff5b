//! The terminal: taken over, given back on every way out, and watched for going away.

use std::io::{self, Write, stdout};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossterm::cursor::Show;
use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;

use crate::report::visible::visible;
use crate::workbench::edge::backend::Sensible;
use crate::workbench::edge::journal::Journal;
use crate::workbench::edge::writer::{Gathered, Writer};

/// Whether the terminal is ours now, and has to be given back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// What was drawn and is not written yet, in pieces.
static ON_ITS_WAY: AtomicUsize = AtomicUsize::new(0);

/// What a terminal may take to take what is on its way to it, before it is given back.
const PATIENCE: Duration = Duration::from_secs(2);

pub struct Screen {
    pub terminal: Terminal<Sensible<CrosstermBackend<Gathered>>>,
    /// The size that the terminal had said it has when it was last drawn on.
    said: Size,
    gathered: Gathered,
    writer: Writer,
}

impl Screen {
    /// Takes the terminal over. `idle` is called whenever the terminal has taken what was drawn.
    pub fn enter(idle: impl Fn() + Send + 'static) -> io::Result<Screen> {
        let gathered = Gathered::default();
        let writer = Writer::start(output()?, &ON_ITS_WAY, idle)?;
        let terminal = Terminal::new(Sensible(CrosstermBackend::new(gathered.clone())))?;
        let mut screen = Screen { terminal, said: Size::ZERO, gathered, writer };
        screen.take()?;
        Ok(screen)
    }

    fn take(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        quiet::begin();
        // After a stop from outside the shell has changed the modes, but crossterm still takes them for raw: it sets them again
        // only after it has undone them.
        disable_raw_mode()?;
        enable_raw_mode()?;
        queue!(self.gathered, EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)?;
        self.send();
        Ok(())
    }

    /// Takes the terminal over again after the shell had it, with all its modes; the next frame draws every cell.
    pub fn resume(&mut self) -> io::Result<()> {
        self.take()?;
        self.redraw()
    }

    /// Makes the next frame draw every cell. (`Terminal::clear` would ask the terminal where its cursor is, and wait
    /// for the thread that reads the answers.)
    pub fn redraw(&mut self) -> io::Result<()> {
        let area = self.terminal.size()?.into();
        self.terminal.resize(area)?;
        self.send();
        Ok(())
    }

    /// Whether the terminal has taken all that was drawn, so that a frame drawn now is not old when it appears.
    pub fn is_ready(&self) -> bool {
        self.writer.is_idle()
    }

    /// Draws a frame that appears at once.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn draw(&mut self, frame: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        if self.writer.is_gone() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        queue!(self.gathered, BeginSynchronizedUpdate)?;
        // A terminal may lose what it shows with any change, also one that makes no difference for what is drawn.
        let said = self.terminal.backend().said()?;
        if said != self.said {
            self.said = said;
            self.redraw()?;
        }
        self.terminal.draw(frame)?;
        queue!(self.gathered, EndSynchronizedUpdate)?;
        self.send();
        Ok(())
    }

    /// Lets the terminal do something.
    pub fn tell(&mut self, what: impl crossterm::Command) {
        if queue!(self.gathered, what).is_ok() {
            self.send();
        }
    }

    fn send(&self) {
        let bytes = self.gathered.take();
        // A terminal that a fault has given back is the shell's.
        if !bytes.is_empty() && TAKEN.load(Ordering::SeqCst) {
            self.writer.send(bytes);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// The terminal to write to: without a lock that a thread at work there might hold.
#[cfg(unix)]
fn output() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(stdout().as_fd().try_clone_to_owned()?.into())
}
#[cfg(not(unix))]
fn output() -> io::Result<io::Stdout> {
    Ok(stdout())
}

/// Undoes everything that was done to the terminal. Can be called at any time, from any thread, and again; a terminal
/// that is gone is no reason to fail.
pub fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // What is drawn comes first, else it would be drawn over what the shell has.
    let end = Instant::now() + PATIENCE;
    while ON_ITS_WAY.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    if ON_ITS_WAY.load(Ordering::SeqCst) > 0 {
        // It takes nothing, so it would not take this either.
        return let_go_of_modes();
    }
    let mut undo = Vec::new();
    let _ = queue!(
        undo,
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        DisableMouseCapture,
        ResetColor,
        LeaveAlternateScreen,
        Show
    );
    if let Ok(mut out) = output() {
        let _ = out.write_all(&undo).and_then(|()| out.flush());
    }
    let_go_of_modes();
}

/// Gives back as much of the terminal as can be without writing to it, which may never end.
pub fn let_go() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let_go_of_modes();
    }
}

fn let_go_of_modes() {
    let _ = disable_raw_mode();
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

/// On a panic of this thread: unsaved text goes to the disk first, then the terminal is given back, then the panic is reported
/// as before. A panic of another thread only raises `notice`: the screen is still in use.
pub fn install_panic_hook(journal: Arc<Journal>, notice: impl Fn(String) + Send + Sync + 'static) {
    let screen_thread = std::thread::current().id();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info: &PanicHookInfo| {
        if std::thread::current().id() == screen_thread || !TAKEN.load(Ordering::SeqCst) {
            let kept = journal.flush();
            give_back();
            previous(info);
            announce(&kept);
        } else {
            let place = info.location().map_or(String::new(), |l| format!(" at {}:{}", l.file(), l.line()));
            let text = info.payload_as_str().unwrap_or("no message");
            notice(format!("internal error{place}: {text}"));
        }
    }));
}

/// Says what became of unsaved text, on standard error, if anybody still listens.
pub fn announce(kept: &io::Result<Option<std::path::PathBuf>>) {
    let text = match kept {
        Ok(Some(path)) => {
            format!("unsaved text is in {}; opening the file again offers it", path.display())
        }
        Err(error) => format!("unsaved text could not be kept: {error}"),
        Ok(None) => return,
    };
    let _ = writeln!(io::stderr(), "myriad: {}", visible(&text));
}

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
