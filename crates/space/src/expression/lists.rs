//! Parser of brackets: parentheses, tuples, lists and comprehensions.

use super::{
    ExpressionError,
    parser::{Parsed, Parser, WORDS},
    syntax::{Loop, Tree},
    token::Token,
};

impl Parser<'_> {
    pub(super) fn parenthesis(&mut self) -> Parsed {
        let first = self.choice()?;
        if self.symbol(")") {
            return Ok(first);
        }
        if !matches!(self.peek(), Token::Symbol(",")) {
            self.expect(")")?;
        }
        // A tuple is read as a list: this language has no way to change either.
        let mut items = vec![first];
        while self.symbol(",") && !matches!(self.peek(), Token::Symbol(")")) {
            items.push(self.choice()?);
        }
        self.expect(")")?;
        Ok(Tree::List(items))
    }

    pub(super) fn list(&mut self) -> Parsed {
        if self.symbol("]") {
            return Ok(Tree::List(Vec::new()));
        }
        if let Some(comprehension) = self.comprehension("]")? {
            return Ok(comprehension);
        }
        let mut items = vec![self.choice()?];
        while self.symbol(",") && !matches!(self.peek(), Token::Symbol("]")) {
            items.push(self.choice()?);
        }
        self.expect("]")?;
        Ok(Tree::List(items))
    }

    /// `element for name in list if condition …`, if a `for` stands before this level's closing
    /// bracket. Reads the loops first, so that their names are known in the element.
    pub(super) fn comprehension(&mut self, close: &str) -> Result<Option<Tree>, ExpressionError> {
        let element = self.at;
        let Some(first) = self.find_for() else { return Ok(None) };
        self.at = first;
        let outer = self.locals.len();
        let mut loops = Vec::new();
        while self.word("for") {
            loops.push(self.one_loop()?);
        }
        self.expect(close)?;
        let end = self.at;
        self.at = element;
        let tree = self.choice()?;
        if self.at != first {
            return Err(self.here(format!("expected `for`, not {}", self.peek().shown())));
        }
        self.at = end;
        self.locals.truncate(outer);
        Ok(Some(Tree::Comprehension(Box::new(tree), loops)))
    }

    fn one_loop(&mut self) -> Result<Loop, ExpressionError> {
        let name = match self.peek() {
            Token::Name(name) if !WORDS.contains(&name.as_str()) => name.clone(),
            other => {
                return Err(self.here(format!("expected a variable, not {}", other.shown())));
            }
        };
        self.advance();
        if !self.word("in") {
            return Err(self.here(format!("expected `in`, not {}", self.peek().shown())));
        }
        let list = self.disjunction()?;
        self.locals.push(name);
        let mut conditions = Vec::new();
        while self.word("if") {
            conditions.push(self.disjunction()?);
        }
        Ok(Loop { list, conditions })
    }

    /// Position of this bracket level's `for`, if there is one.
    fn find_for(&self) -> Option<usize> {
        let mut level = 0;
        for (offset, (_, token)) in self.tokens[self.at..].iter().enumerate() {
            match token {
                Token::Symbol("[" | "(") => level += 1,
                Token::Symbol("]" | ")") if level == 0 => return None,
                Token::Symbol("]" | ")") => level -= 1,
                Token::Name(name) if name == "for" && level == 0 => return Some(self.at + offset),
                Token::End => return None,
                _ => {}
            }
        }
        None
    }
}
