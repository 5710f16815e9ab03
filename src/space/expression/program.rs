//! Fast path for expressions over numbers: a flat program for a small stack machine, without
//! allocation. Restrictions are evaluated millions of times while a space is built.

use super::{
    EvalError, Num,
    functions::Function,
    syntax::{Binary, Comparison, Tree, Unary},
};

const STACK: usize = 32;

#[derive(Clone, Copy, Debug)]
enum Step {
    Push(Num),
    Load(u32),
    Unary(Unary),
    Binary(Binary),
    Compare(Comparison),
    Smaller,
    Greater,
    Call(Function),
    /// Copies the top below the element under it: `a b` becomes `b a b`.
    Keep,
    /// Replaces the top by whether it is among this range of the program's numbers.
    Member(u32, u32),
    /// Removes the element under the top.
    DropUnder,
    Jump(u32),
    /// Jumps and keeps the top if it is false, else removes it.
    JumpIfFalseElsePop(u32),
    JumpIfTrueElsePop(u32),
    PopJumpIfFalse(u32),
}

#[derive(Clone, Debug)]
pub(in crate::space) struct Program {
    steps: Box<[Step]>,
    numbers: Box<[Num]>,
}

impl Program {
    /// Compiles a tree; `None` if it needs texts, lists or a deeper stack.
    pub(super) fn compile(tree: &Tree) -> Option<Self> {
        let mut compiler =
            Compiler { steps: Vec::new(), numbers: Vec::new(), depth: 0, deepest: 0 };
        compiler.tree(tree)?;
        (compiler.deepest <= STACK)
            .then(|| Self { steps: compiler.steps.into(), numbers: compiler.numbers.into() })
    }

    /// Runs over `slots`, which must cover all slots of the expression.
    pub(in crate::space) fn run(&self, slots: &[Num]) -> Result<Num, EvalError> {
        let mut stack = [Num::Int(0); STACK];
        let mut top = 0;
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            match *step {
                Step::Push(number) => {
                    stack[top] = number;
                    top += 1;
                }
                Step::Load(slot) => {
                    stack[top] = slots[slot as usize];
                    top += 1;
                }
                Step::Unary(operator) => stack[top - 1] = unary(operator, stack[top - 1])?,
                Step::Binary(operator) => {
                    top -= 1;
                    stack[top - 1] = operator.apply(stack[top - 1], stack[top])?;
                }
                Step::Compare(operator) => {
                    top -= 1;
                    let holds = operator.holds(stack[top - 1], stack[top]);
                    stack[top - 1] = Num::Int(i64::from(holds));
                }
                Step::Smaller => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].smaller(stack[top]);
                }
                Step::Greater => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].greater(stack[top]);
                }
                Step::Call(function) => {
                    if let Some(result) = function.of_one(stack[top - 1]) {
                        stack[top - 1] = result?;
                    }
                }
                Step::Keep => {
                    stack[top] = stack[top - 1];
                    stack[top - 1] = stack[top - 2];
                    stack[top - 2] = stack[top];
                    top += 1;
                }
                Step::Member(first, end) => {
                    let among = &self.numbers[first as usize..end as usize];
                    let x = stack[top - 1];
                    let found = among.iter().any(|n| Comparison::Equal.holds(x, *n));
                    stack[top - 1] = Num::Int(i64::from(found));
                }
                Step::DropUnder => {
                    top -= 1;
                    stack[top - 1] = stack[top];
                }
                Step::Jump(to) => at = to as usize,
                Step::JumpIfFalseElsePop(to) => {
                    if stack[top - 1].is_true() {
                        top -= 1;
                    } else {
                        at = to as usize;
                    }
                }
                Step::JumpIfTrueElsePop(to) => {
                    if stack[top - 1].is_true() {
                        at = to as usize;
                    } else {
                        top -= 1;
                    }
                }
                Step::PopJumpIfFalse(to) => {
                    top -= 1;
                    if !stack[top].is_true() {
                        at = to as usize;
                    }
                }
            }
        }
        Ok(stack[0])
    }
}

fn unary(operator: Unary, x: Num) -> Result<Num, EvalError> {
    Ok(match operator {
        Unary::Not => Num::Int(i64::from(!x.is_true())),
        Unary::Negate => x.negate(),
        Unary::Plus => x,
        Unary::Invert => match x {
            Num::Int(i) => Num::Int(!i),
            Num::Float(_) => return Err(EvalError::Type("`~` needs a whole number".into())),
        },
    })
}

struct Compiler {
    steps: Vec<Step>,
    numbers: Vec<Num>,
    depth: usize,
    deepest: usize,
}

impl Compiler {
    fn emit(&mut self, step: Step) -> usize {
        match step {
            Step::Push(_) | Step::Load(_) | Step::Keep => self.depth += 1,
            Step::Binary(_)
            | Step::Compare(_)
            | Step::Smaller
            | Step::Greater
            | Step::DropUnder
            | Step::JumpIfFalseElsePop(_)
            | Step::JumpIfTrueElsePop(_)
            | Step::PopJumpIfFalse(_) => self.depth -= 1,
            Step::Unary(_) | Step::Call(_) | Step::Member(..) | Step::Jump(_) => {}
        }
        self.deepest = self.deepest.max(self.depth);
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Makes the jump at `from` land on the next step.
    fn land(&mut self, from: usize) {
        let here = self.steps.len() as u32;
        match &mut self.steps[from] {
            Step::Jump(to)
            | Step::JumpIfFalseElsePop(to)
            | Step::JumpIfTrueElsePop(to)
            | Step::PopJumpIfFalse(to) => *to = here,
            _ => {}
        }
    }

    fn tree(&mut self, tree: &Tree) -> Option<()> {
        match tree {
            Tree::Bool(b) => {
                self.emit(Step::Push(Num::Int(i64::from(*b))));
            }
            Tree::Int(i) => {
                self.emit(Step::Push(Num::Int(*i)));
            }
            Tree::Float(f) => {
                self.emit(Step::Push(Num::Float(*f)));
            }
            Tree::Slot(slot) => {
                self.emit(Step::Load(u32::try_from(*slot).ok()?));
            }
            Tree::Unary(operator, inner) => {
                self.tree(inner)?;
                self.emit(Step::Unary(*operator));
            }
            Tree::Binary(operator @ (Binary::And | Binary::Or), pair) => {
                self.tree(&pair[0])?;
                let jump = self.emit(match operator {
                    Binary::And => Step::JumpIfFalseElsePop(0),
                    _ => Step::JumpIfTrueElsePop(0),
                });
                self.tree(&pair[1])?;
                self.land(jump);
            }
            Tree::Binary(operator, pair) => {
                self.tree(&pair[0])?;
                self.tree(&pair[1])?;
                self.emit(Step::Binary(*operator));
            }
            Tree::Compare(first, rest) => self.chain(first, rest)?,
            Tree::Choose(three) => {
                self.tree(&three[0])?;
                let otherwise = self.emit(Step::PopJumpIfFalse(0));
                self.tree(&three[1])?;
                let end = self.emit(Step::Jump(0));
                self.land(otherwise);
                self.depth -= 1;
                self.tree(&three[2])?;
                self.land(end);
            }
            Tree::Call(function, arguments) => self.call(*function, arguments)?,
            _ => return None,
        }
        Some(())
    }

    /// `a < b < c`: each operand once, and none after the first link that fails.
    fn chain(&mut self, first: &Tree, rest: &[(Comparison, Tree)]) -> Option<()> {
        let (last, between) = rest.split_last()?;
        self.tree(first)?;
        if let (Comparison::In | Comparison::NotIn, Tree::List(items)) = (last.0, &last.1)
            && between.is_empty()
        {
            return self.member(last.0, items);
        }
        let mut failures = Vec::new();
        for (operator, tree) in between {
            let operator = numeric(*operator)?;
            self.tree(tree)?;
            self.emit(Step::Keep);
            self.emit(Step::Compare(operator));
            failures.push(self.emit(Step::JumpIfFalseElsePop(0)));
        }
        self.tree(&last.1)?;
        self.emit(Step::Compare(numeric(last.0)?));
        if !failures.is_empty() {
            let end = self.emit(Step::Jump(0));
            for failure in failures {
                self.land(failure);
            }
            // After a failed link the kept operand lies under its outcome.
            self.depth += 1;
            self.emit(Step::DropUnder);
            self.land(end);
        }
        Some(())
    }

    /// `x in [1, 2]` over constants; `x` is on the stack.
    fn member(&mut self, operator: Comparison, items: &[Tree]) -> Option<()> {
        let first = u32::try_from(self.numbers.len()).ok()?;
        for item in items {
            self.numbers.push(match item {
                Tree::Bool(b) => Num::Int(i64::from(*b)),
                Tree::Int(i) => Num::Int(*i),
                Tree::Float(f) => Num::Float(*f),
                _ => return None,
            });
        }
        self.emit(Step::Member(first, u32::try_from(self.numbers.len()).ok()?));
        if operator == Comparison::NotIn {
            self.emit(Step::Unary(Unary::Not));
        }
        Some(())
    }

    fn call(&mut self, function: Function, arguments: &[Tree]) -> Option<()> {
        match (function, arguments) {
            (Function::Min | Function::Max, [first, rest @ ..]) if !rest.is_empty() => {
                self.tree(first)?;
                for tree in rest {
                    self.tree(tree)?;
                    self.emit(match function {
                        Function::Min => Step::Smaller,
                        _ => Step::Greater,
                    });
                }
            }
            (Function::Pow, [base, exponent]) => {
                self.tree(base)?;
                self.tree(exponent)?;
                self.emit(Step::Binary(Binary::Power));
            }
            (_, [x]) if function.of_one(Num::Int(1)).is_some() => {
                self.tree(x)?;
                self.emit(Step::Call(function));
            }
            _ => return None,
        }
        Some(())
    }
}

fn numeric(comparison: Comparison) -> Option<Comparison> {
    (!matches!(comparison, Comparison::In | Comparison::NotIn)).then_some(comparison)
}
