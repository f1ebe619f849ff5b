//! Parts of self-contained HTML files: the head, and text in elements and scripts.

use super::visible::{escape_hidden_lines, visible};

/// Colours and type, for wide and narrow screens, in light and dark mode.
pub const STYLE: &str = include_str!("html.css");

/// Returns the start of a page, up to the opening of its body.
pub fn head(title: &str, styles: &[&str]) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        styles.concat()
    )
}

/// Escapes text for HTML; characters that are invisible or reorder text become placeholders.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in escape_hidden_lines(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for one line of HTML or XML; line endings and tabs become placeholders.
pub fn escaped_line(text: &str) -> String {
    escaped(&visible(text))
}

/// Escapes JSON for an element `script`: no text in it can end the element.
pub fn json_in_script(json: &str) -> String {
    // These characters only occur in strings of JSON.
    json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(escaped("</code>\"&\u{202e}"), "&lt;/code&gt;&quot;&amp;‹202e›");
        let text = json_in_script("[\"</script><!--&\"]");
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), ["</script><!--&"]);
    }
}
