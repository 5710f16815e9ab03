//! Builds the tree from tokens, by recursive descent through Python's precedence levels.

use super::{
    ExpressionError,
    errors::excerpt,
    functions::Function,
    syntax::{Binary, Comparison, Tree, Unary},
    token::{Token, fault, tokens},
};

/// Limit of nested parentheses, lists and operators.
const MAX_DEPTH: usize = 50;

/// Limit of operators: a long chain is also a deep tree.
const MAX_OPERATORS: usize = 500;

/// Reserved words, which cannot be names of variables.
pub(super) const WORDS: &[&str] =
    &["and", "or", "not", "in", "if", "else", "for", "True", "False", "None", "is", "lambda"];

/// Binary operators by level, loosest first; all associate to the left.
const LEVELS: &[&[(&str, Binary)]] = &[
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[
        ("*", Binary::Multiply),
        ("/", Binary::Divide),
        ("//", Binary::FloorDivide),
        ("%", Binary::Remainder),
    ],
];

const COMPARISONS: &[(&str, Comparison)] = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<", Comparison::Less),
    ("<=", Comparison::LessEqual),
    (">", Comparison::Greater),
    (">=", Comparison::GreaterEqual),
];

pub(super) type Parsed = Result<Tree, ExpressionError>;

pub(super) fn parse(text: &str, names: &[&str]) -> Parsed {
    let tokens = tokens(text)?;
    let mut parser =
        Parser { text, names, tokens, at: 0, depth: 0, operators: 0, locals: Vec::new() };
    let tree = parser.choice()?;
    match parser.peek() {
        Token::End => Ok(tree),
        other => {
            Err(parser.here(format!("expected an operator or the end, not {}", other.shown())))
        }
    }
}

pub(super) struct Parser<'a> {
    text: &'a str,
    names: &'a [&'a str],
    pub(super) tokens: Vec<(usize, Token)>,
    pub(super) at: usize,
    depth: usize,
    operators: usize,
    pub(super) locals: Vec<String>,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].1.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn here(&self, message: String) -> ExpressionError {
        fault(self.text, self.tokens[self.at].0, message)
    }

    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) if *s == symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        if self.symbol(symbol) {
            return Ok(());
        }
        Err(self.here(format!("expected `{symbol}`, not {}", self.peek().shown())))
    }

    fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == MAX_DEPTH {
            return Err(self.here(format!("this nests over {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let tree = inner(self);
        self.depth -= 1;
        tree
    }

    /// `a if condition else b`.
    pub(super) fn choice(&mut self) -> Parsed {
        self.deeper(|p| {
            let then = p.disjunction()?;
            if !p.word("if") {
                return Ok(then);
            }
            let condition = p.disjunction()?;
            if !p.word("else") {
                return Err(p.here(format!("expected `else`, not {}", p.peek().shown())));
            }
            Ok(Tree::Choose(Box::new([condition, then, p.choice()?])))
        })
    }

    pub(super) fn disjunction(&mut self) -> Parsed {
        let mut tree = self.conjunction()?;
        while self.word("or") {
            self.operator()?;
            tree = binary(Binary::Or, tree, self.conjunction()?);
        }
        Ok(tree)
    }

    fn conjunction(&mut self) -> Parsed {
        let mut tree = self.negation()?;
        while self.word("and") {
            self.operator()?;
            tree = binary(Binary::And, tree, self.negation()?);
        }
        Ok(tree)
    }

    /// Counts an operator: a chain nests to the left, so its length needs a bound.
    fn operator(&mut self) -> Result<(), ExpressionError> {
        if self.operators == MAX_OPERATORS {
            return Err(self.here(format!("this has over {MAX_OPERATORS} operators")));
        }
        self.operators += 1;
        Ok(())
    }

    fn negation(&mut self) -> Parsed {
        if self.word("not") {
            return self.deeper(|p| Ok(Tree::Unary(Unary::Not, Box::new(p.negation()?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.binary(0)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.comparison_operator() {
            self.operator()?;
            rest.push((operator, self.binary(0)?));
        }
        Ok(if rest.is_empty() { first } else { Tree::Compare(Box::new(first), rest) })
    }

    fn comparison_operator(&mut self) -> Option<Comparison> {
        for (symbol, comparison) in COMPARISONS {
            if self.symbol(symbol) {
                return Some(*comparison);
            }
        }
        if self.word("in") {
            return Some(Comparison::In);
        }
        let negated =
            matches!(self.tokens.get(self.at + 1), Some((_, Token::Name(n))) if n == "in");
        if negated && self.word("not") {
            self.at += 1;
            return Some(Comparison::NotIn);
        }
        None
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut tree = self.binary(level + 1)?;
        'more: loop {
            for (symbol, operator) in *operators {
                if self.symbol(symbol) {
                    self.operator()?;
                    tree = binary(*operator, tree, self.binary(level + 1)?);
                    continue 'more;
                }
            }
            return Ok(tree);
        }
    }

    fn unary(&mut self) -> Parsed {
        for (symbol, operator) in [("-", Unary::Negate), ("+", Unary::Plus), ("~", Unary::Invert)] {
            if self.symbol(symbol) {
                return self.deeper(|p| Ok(Tree::Unary(operator, Box::new(p.unary()?))));
            }
        }
        let base = self.trailed()?;
        if self.symbol("**") {
            // `**` includes the sign of its exponent and associates to the right.
            return self.deeper(|p| Ok(binary(Binary::Power, base, p.unary()?)));
        }
        Ok(base)
    }

    fn trailed(&mut self) -> Parsed {
        let mut tree = self.atom()?;
        while self.symbol("[") {
            self.operator()?;
            let index = self.choice()?;
            self.expect("]")?;
            tree = Tree::Index(Box::new([tree, index]));
        }
        Ok(tree)
    }

    fn atom(&mut self) -> Parsed {
        let start = self.at;
        match self.advance() {
            Token::Int(i) => Ok(Tree::Int(i)),
            Token::Float(f) => Ok(Tree::Float(f)),
            Token::Text(text) => Ok(Tree::Text(text.into())),
            Token::Name(name) => self.named(&name, start),
            Token::Symbol("(") => self.parenthesis(),
            Token::Symbol("[") => self.list(),
            other => {
                self.at = start;
                Err(self.here(format!("expected a value, not {}", other.shown())))
            }
        }
    }

    fn named(&mut self, name: &str, start: usize) -> Parsed {
        match name {
            "True" => return Ok(Tree::Bool(true)),
            "False" => return Ok(Tree::Bool(false)),
            "None" => return Ok(Tree::None),
            "math" if self.symbol(".") => {
                let start = self.at;
                if let Token::Name(name) = self.advance() {
                    return self.named(&name, start);
                }
                self.at = start;
                return Err(self.here("expected a function of `math`".into()));
            }
            _ if WORDS.contains(&name) => {
                self.at = start;
                return Err(self.here(format!("expected a value, not `{name}`")));
            }
            _ => {}
        }
        if matches!(self.peek(), Token::Symbol("(")) {
            return self.call(name, start);
        }
        if let Some(local) = self.locals.iter().rposition(|l| l == name) {
            return Ok(Tree::Local(local));
        }
        if let Some(slot) = self.names.iter().position(|n| *n == name) {
            return Ok(Tree::Slot(slot));
        }
        self.at = start;
        let known = if self.names.is_empty() {
            "no names are known here".to_owned()
        } else {
            format!("known: {}", self.names.join(", "))
        };
        Err(self.here(format!("there is no `{}` ({known})", excerpt(name))))
    }

    fn call(&mut self, name: &str, start: usize) -> Parsed {
        let Some((function, least, most)) = Function::named(name) else {
            self.at = start;
            let known = Function::known();
            let name = excerpt(name);
            return Err(self.here(format!("there is no function `{name}` (known: {known})")));
        };
        self.expect("(")?;
        let mut arguments = Vec::new();
        if let Some(comprehension) = self.comprehension(")")? {
            arguments.push(comprehension);
        } else {
            while !self.symbol(")") {
                if !arguments.is_empty() {
                    self.expect(",")?;
                    if self.symbol(")") {
                        break;
                    }
                }
                arguments.push(self.choice()?);
            }
        }
        if (least..=most).contains(&arguments.len()) {
            return Ok(Tree::Call(function, arguments));
        }
        self.at = start;
        let wanted = match (least, most) {
            (1, 1) => "1 argument".to_owned(),
            (a, b) if a == b => format!("{a} arguments"),
            (a, b) => format!("{a} to {b} arguments"),
        };
        Err(self.here(format!("`{name}` takes {wanted}, not {}", arguments.len())))
    }
}

fn binary(operator: Binary, left: Tree, right: Tree) -> Tree {
    Tree::Binary(operator, Box::new([left, right]))
}
