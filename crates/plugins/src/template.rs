//! Texts in which `{{ expression }}` is replaced by the value of the expression.

use space::{EvalError, Expression, Value};

/// What is wrong with a template, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TemplateFault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Longest text that a template may produce, in bytes.
const LONGEST: usize = 16 << 20;

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Value(Expression),
}

/// A text with expressions in it.
#[derive(Debug, Clone)]
pub struct Template(Vec<Part>);

impl Template {
    /// Reads a text whose expressions are over `names`, as in [`Expression::compile`].
    ///
    /// # Errors
    /// If an expression is not valid or does not end.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, TemplateFault> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(found) = text[at..].find("{{") {
            let open = at + found;
            let fault = |message: String| Self::fault(text, open, message);
            if found > 0 {
                parts.push(Part::Text(text[at..open].to_owned()));
            }
            let inner = open + 2;
            let length = text[inner..]
                .find("}}")
                .ok_or_else(|| fault("`{{` begins an expression that no `}}` ends".to_owned()))?;
            let expression = text[inner..inner + length].trim();
            let expression = Expression::compile(expression, names).map_err(|error| {
                fault(format!("{error}; between `{{{{` and `}}}}` stands an expression (write `{{ {{` for two braces)"))
            })?;
            parts.push(Part::Value(expression));
            at = inner + length + 2;
        }
        if at < text.len() {
            parts.push(Part::Text(text[at..].to_owned()));
        }
        Ok(Self(parts))
    }

    fn fault(text: &str, at: usize, message: String) -> TemplateFault {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        TemplateFault { line, column, message }
    }

    /// The slots of the names in the template's expressions.
    #[must_use]
    pub fn slots_used(&self) -> Vec<usize> {
        let mut slots: Vec<usize> = self.values().flat_map(|e| e.slots_used().to_vec()).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The text with values in place of expressions. `of_name` may write a plain name differently.
    /// Elements of a list are separated by commas.
    ///
    /// # Errors
    /// The expression that has no value, and why.
    pub fn render(
        &self,
        slots: &[Value],
        of_name: impl Fn(&str) -> Option<String>,
    ) -> Result<String, (String, EvalError)> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Value(expression) => match of_name(expression.text()) {
                    Some(own) => text.push_str(&own),
                    None => {
                        let too_long = || EvalError::Type("it makes the text too long".to_owned());
                        let values = expression
                            .eval_list(slots)
                            .map_err(|error| (expression.text().to_owned(), error))?;
                        let values: Vec<String> = values.iter().map(Value::to_string).collect();
                        text.push_str(&values.join(", "));
                        if text.len() > LONGEST {
                            return Err((expression.text().to_owned(), too_long()));
                        }
                    }
                },
            }
        }
        Ok(text)
    }

    fn values(&self) -> impl Iterator<Item = &Expression> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Value(expression) => Some(expression),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["size", "tile", "kind"];

    fn rendered(text: &str) -> Result<String, String> {
        let template = Template::parse(text, &NAMES).map_err(|fault| fault.to_string())?;
        let slots = [Value::Int(1000), Value::Int(4), Value::from("f16")];
        let of_name = |name: &str| (name == "kind").then(|| "half".to_owned());
        template.render(&slots, of_name).map_err(|(text, error)| format!("{text}: {error}"))
    }

    #[test]
    fn expressions_become_values_and_the_rest_stays() {
        for (text, expected) in [
            ("", ""),
            ("int x[3] = { {1}, 2 }; }}", "int x[3] = { {1}, 2 }; }}"),
            ("float tile[{{ 2 * tile }}][{{tile+1}}];", "float tile[8][5];"),
            ("{{ kind }} a; // {{ 'f32' if kind == 'f16' else kind }}", "half a; // f32"),
            ("{ {{ [i * i for i in range(tile)] }} }", "{ 0, 1, 4, 9 }"),
            ("{{ size / 3 > tile }}, {{ size / 8 }}", "true, 125.0"),
            ("\n{{ size }}\n", "\n1000\n"),
        ] {
            assert_eq!(rendered(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn faults_say_line_and_column() {
        let fault = rendered("int a;\n  é {{ tyle }}").unwrap_err();
        assert!(fault.starts_with("line 2, column 5: ") && fault.contains("tyle"), "{fault}");
        let fault = rendered("int a[2][2] = {{1, 2}, {3, 4}};").unwrap_err();
        assert!(fault.starts_with("line 1, column 15: "), "{fault}");
        let fault = rendered("{{ tile").unwrap_err();
        assert_eq!(fault, "line 1, column 1: `{{` begins an expression that no `}}` ends");
        assert!(rendered("{{ 1 / (tile - 4) }}").unwrap_err().starts_with("1 / (tile - 4): "));
    }
}
