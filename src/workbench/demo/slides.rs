//! Slides from the stills of a recording: an SVG file for each, and all of them in one page of HTML that shows one at a
//! time and prints one a sheet.

use super::svg::{FONT, escaped, part};
use crate::report::visible::visible;
use crate::workbench::edge::offscreen::Picture;
use crate::workbench::text::wrap;

/// The size of a slide in SVG units: the pixels of usual projectors.
const SIZE: (u32, u32) = (1920, 1080);
/// The distance of everything from the edge.
const EDGE: u32 = 40;
/// The size of the letters of a caption, and the height of its lines.
const LETTERS: u32 = 52;
const LINE: u32 = 64;
/// The characters in a line of a caption. A letter is about half as wide as high.
const COLUMNS: usize = 66;
/// The height of the line with the number.
const FOOT: u32 = 48;

#[derive(Clone, Copy, Debug)]
pub struct Slide<'a> {
    /// From 1.
    pub number: usize,
    pub of: usize,
    pub caption: &'a str,
    pub title: &'a str,
    pub picture: &'a Picture,
}

impl Slide<'_> {
    /// Returns the file name of slide `number` of `of`: numbers sort like the slides.
    pub fn file_name(number: usize, of: usize, name: &str) -> String {
        let digits = of.to_string().len().max(2);
        format!("{number:0digits$}-{name}.svg")
    }

    pub fn svg(&self) -> String {
        let (width, height) = SIZE;
        let caption = visible(self.caption);
        let lines = wrap(&caption, COLUMNS);
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate() {
            let y = EDGE + LETTERS + at as u32 * LINE;
            text += &format!("<text x=\"{EDGE}\" y=\"{y}\">{}</text>\n", escaped(line));
        }
        let top = EDGE + lines.len() as u32 * LINE + LINE / 4;
        let frame = (EDGE, top, width - 2 * EDGE, height - FOOT - top);
        let frame = (frame.0.into(), frame.1.into(), frame.2.into(), frame.3.into());
        let prefix = format!("s{}-", self.number);
        let foot = height - FOOT / 3;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"system-ui,sans-serif\" font-size=\"{LETTERS}\" fill=\"#16181d\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{text}{}\
             <g font-size=\"24\" fill=\"#5a6270\"><text x=\"{EDGE}\" y=\"{foot}\">{}</text>\
             <text x=\"{}\" y=\"{foot}\" text-anchor=\"end\" font-family=\"{FONT}\">{} / {}</text></g>\n</svg>\n",
            escaped(&caption),
            part(self.picture, self.caption, &prefix, frame),
            escaped(&visible(self.title)),
            width - EDGE,
            self.number,
            self.of
        )
    }
}

/// The look of the page. Without scripts, all slides are shown below each other.
const STYLE: &str = "\
@page{size:13.333in 7.5in;margin:0}
html,body{margin:0;background:#16181d}
section{margin:0 auto 1em;width:min(100vw,177.78vh)}
section>svg{display:block;width:100%;height:auto}
.js section{display:none;margin:0 auto;height:100vh}
.js section.now{display:flex;align-items:center}
@media print{
html,body{background:none}
section,.js section,.js section.now{display:block;margin:0;width:13.333in;height:7.5in;overflow:hidden;break-inside:avoid;break-after:page}
section:last-child{break-after:auto}
section>svg{width:13.333in;height:7.5in}
}";

/// Keys, clicks and the number after `#` choose the slide.
const SCRIPT: &str = "\
const all=[...document.querySelectorAll('section')];let now=0;
function show(n){now=Math.max(0,Math.min(all.length-1,n));all.forEach((s,i)=>s.classList.toggle('now',i===now));history.replaceState(null,'','#'+(now+1));}
const keys={ArrowRight:()=>now+1,ArrowDown:()=>now+1,PageDown:()=>now+1,' ':()=>now+1,Enter:()=>now+1,ArrowLeft:()=>now-1,ArrowUp:()=>now-1,PageUp:()=>now-1,Backspace:()=>now-1,Home:()=>0,End:()=>all.length-1};
addEventListener('keydown',e=>{if(e.key in keys&&!e.ctrlKey&&!e.altKey&&!e.metaKey){e.preventDefault();show(keys[e.key]());}});
addEventListener('click',e=>show(now+(e.clientX<innerWidth/3?-1:1)));
addEventListener('hashchange',()=>show(parseInt(location.hash.slice(1)||'1')-1||0));
document.documentElement.className='js';show(parseInt(location.hash.slice(1)||'1')-1||0);";

/// Returns all slides as one page that needs no other file.
pub fn page(slides: &[Slide]) -> String {
    let title = slides.first().map_or(String::new(), |slide| escaped(&visible(slide.title)));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
    );
    for slide in slides {
        page += &format!("<section id=\"slide-{}\">\n{}</section>\n", slide.number, slide.svg());
    }
    page + &format!("<script>\n{SCRIPT}\n</script>\n</body>\n</html>\n")
}
