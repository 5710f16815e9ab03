//! Splits text into tokens.

use super::{ExpressionError, errors::excerpt};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    Symbol(&'static str),
    End,
}

impl Token {
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Int(i) => format!("`{i}`"),
            Self::Float(f) => format!("`{f:?}`"),
            Self::Text(_) => "a string".into(),
            Self::Name(name) => format!("`{}`", excerpt(name)),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::End => "the end".into(),
        }
    }
}

/// Longer symbols first, so that `**` is not read as two `*`.
const SYMBOLS: &[&str] = &[
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(", ")",
    "[", "]", ",", "&", "|", "^", "~", ".",
];

/// Tokens with the byte at which each starts; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let (length, token) = if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        } else if next == '"' || next == '\'' {
            string(text, at, next)?
        } else if next.is_ascii_digit() || (next == '.' && followed_by_digit(rest)) {
            number(text, at)?
        } else if next.is_alphabetic() || next == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &rest[..length.unwrap_or(rest.len())];
            (name.len(), Token::Name(name.to_owned()))
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            (symbol.len(), Token::Symbol(symbol))
        } else {
            let hint = match next {
                '!' => " (`not` negates)",
                '=' => " (`==` compares)",
                _ => "",
            };
            return Err(fault(text, at, format!("`{next}` has no meaning here{hint}")));
        };
        found.push((at, token));
        at += length;
    }
    found.push((text.len(), Token::End));
    Ok(found)
}

pub(super) fn fault(text: &str, position: usize, message: String) -> ExpressionError {
    ExpressionError { text: text.to_owned(), position, message }
}

fn followed_by_digit(rest: &str) -> bool {
    rest[1..].starts_with(|c: char| c.is_ascii_digit())
}

fn string(text: &str, at: usize, quote: char) -> Result<(usize, Token), ExpressionError> {
    let mut content = String::new();
    let mut characters = text[at + 1..].char_indices();
    while let Some((offset, c)) = characters.next() {
        match c {
            _ if c == quote => return Ok((offset + 2, Token::Text(content))),
            '\\' => match characters.next() {
                Some((_, 'n')) => content.push('\n'),
                Some((_, 't')) => content.push('\t'),
                Some((_, c @ ('\\' | '\'' | '"'))) => content.push(c),
                Some((_, c)) => content.extend(['\\', c]),
                None => break,
            },
            _ => content.push(c),
        }
    }
    Err(fault(text, at, format!("this string has no closing {quote}")))
}

fn number(text: &str, at: usize) -> Result<(usize, Token), ExpressionError> {
    let rest = &text[at..];
    let lower = rest.get(..2).unwrap_or("").to_ascii_lowercase();
    let radix = match lower.as_str() {
        "0x" => Some(16),
        "0o" => Some(8),
        "0b" => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        let length = rest[2..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(rest.len(), |n| n + 2);
        let digits = rest[2..length].replace('_', "");
        return i64::from_str_radix(&digits, radix)
            .map(|value| (length, Token::Int(value)))
            .map_err(|_| {
                fault(text, at, format!("`{}` is no whole number", excerpt(&rest[..length])))
            });
    }
    let length = decimal_length(rest);
    let literal = &rest[..length];
    let after = rest[length..].chars().next();
    if after.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return Err(fault(text, at + length, "a number must end before letters begin".into()));
    }
    let digits = literal.replace('_', "");
    if let Ok(value) = digits.parse::<i64>() {
        return Ok((length, Token::Int(value)));
    }
    digits
        .parse::<f64>()
        .map(|value| (length, Token::Float(value)))
        .map_err(|_| fault(text, at, format!("`{}` is no number", excerpt(literal))))
}

/// Length in bytes of the decimal number, with optional fraction and exponent, that starts `rest`.
fn decimal_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(|b| b.is_ascii_digit() || *b == b'_') {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
