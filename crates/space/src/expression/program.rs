//! Fast path for expressions over numbers: a flat program for a small stack machine that does not
//! allocate. Building a space evaluates restrictions millions of times.

use super::{
    EvalError, Num,
    functions::Function,
    syntax::{Binary, Comparison, Tree, Unary},
};

const STACK: usize = 32;

#[derive(Clone, Copy, Debug)]
enum Instruction {
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
    /// Replaces the top by whether it is in this range of the program's numbers.
    Member(u32, u32),
    /// Removes the element under the top.
    DropUnder,
    Jump(u32),
    /// Jumps and keeps the top if the top is false, else removes the top.
    JumpIfFalseElsePop(u32),
    JumpIfTrueElsePop(u32),
    PopJumpIfFalse(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    steps: Box<[Instruction]>,
    numbers: Box<[Num]>,
}

impl Program {
    /// Compiles a tree; `None` if it needs texts, lists or a deeper stack.
    pub(super) fn compile(tree: &Tree) -> Option<Self> {
        let mut compiler =
            ProgramBuilder { steps: Vec::new(), numbers: Vec::new(), depth: 0, deepest: 0 };
        compiler.tree(tree)?;
        (compiler.deepest <= STACK)
            .then(|| Self { steps: compiler.steps.into(), numbers: compiler.numbers.into() })
    }

    /// Runs over `slots`, which must cover all slots of the expression.
    pub(crate) fn run(&self, slots: &[Num]) -> Result<Num, EvalError> {
        let mut stack = [Num::Int(0); STACK];
        let mut top = 0;
        let mut at = 0;
        while let Some(step) = self.steps.get(at) {
            at += 1;
            match *step {
                Instruction::Push(number) => {
                    stack[top] = number;
                    top += 1;
                }
                Instruction::Load(slot) => {
                    stack[top] = slots[slot as usize];
                    top += 1;
                }
                Instruction::Unary(operator) => stack[top - 1] = unary(operator, stack[top - 1])?,
                Instruction::Binary(operator) => {
                    top -= 1;
                    stack[top - 1] = operator.apply(stack[top - 1], stack[top])?;
                }
                Instruction::Compare(operator) => {
                    top -= 1;
                    let holds = operator.holds(stack[top - 1], stack[top]);
                    stack[top - 1] = Num::Int(i64::from(holds));
                }
                Instruction::Smaller => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].smaller(stack[top]);
                }
                Instruction::Greater => {
                    top -= 1;
                    stack[top - 1] = stack[top - 1].greater(stack[top]);
                }
                Instruction::Call(function) => {
                    if let Some(result) = function.of_one(stack[top - 1]) {
                        stack[top - 1] = result?;
                    }
                }
                Instruction::Keep => {
                    stack[top] = stack[top - 1];
                    stack[top - 1] = stack[top - 2];
                    stack[top - 2] = stack[top];
                    top += 1;
                }
                Instruction::Member(first, end) => {
                    let among = &self.numbers[first as usize..end as usize];
                    let x = stack[top - 1];
                    let found = among.iter().any(|n| Comparison::Equal.holds(x, *n));
                    stack[top - 1] = Num::Int(i64::from(found));
                }
                Instruction::DropUnder => {
                    top -= 1;
                    stack[top - 1] = stack[top];
                }
                Instruction::Jump(to) => at = to as usize,
                Instruction::JumpIfFalseElsePop(to) => {
                    if stack[top - 1].is_true() {
                        top -= 1;
                    } else {
                        at = to as usize;
                    }
                }
                Instruction::JumpIfTrueElsePop(to) => {
                    if stack[top - 1].is_true() {
                        at = to as usize;
                    } else {
                        top -= 1;
                    }
                }
                Instruction::PopJumpIfFalse(to) => {
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

struct ProgramBuilder {
    steps: Vec<Instruction>,
    numbers: Vec<Num>,
    depth: usize,
    deepest: usize,
}

impl ProgramBuilder {
    fn emit(&mut self, step: Instruction) -> usize {
        match step {
            Instruction::Push(_) | Instruction::Load(_) | Instruction::Keep => self.depth += 1,
            Instruction::Binary(_)
            | Instruction::Compare(_)
            | Instruction::Smaller
            | Instruction::Greater
            | Instruction::DropUnder
            | Instruction::JumpIfFalseElsePop(_)
            | Instruction::JumpIfTrueElsePop(_)
            | Instruction::PopJumpIfFalse(_) => self.depth -= 1,
            Instruction::Unary(_)
            | Instruction::Call(_)
            | Instruction::Member(..)
            | Instruction::Jump(_) => {}
        }
        self.deepest = self.deepest.max(self.depth);
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// Makes the jump at `from` land on the next step.
    fn land(&mut self, from: usize) {
        let here = self.steps.len() as u32;
        match &mut self.steps[from] {
            Instruction::Jump(to)
            | Instruction::JumpIfFalseElsePop(to)
            | Instruction::JumpIfTrueElsePop(to)
            | Instruction::PopJumpIfFalse(to) => *to = here,
            _ => {}
        }
    }

    fn tree(&mut self, tree: &Tree) -> Option<()> {
        match tree {
            Tree::Bool(b) => {
                self.emit(Instruction::Push(Num::Int(i64::from(*b))));
            }
            Tree::Int(i) => {
                self.emit(Instruction::Push(Num::Int(*i)));
            }
            Tree::Float(f) => {
                self.emit(Instruction::Push(Num::Float(*f)));
            }
            Tree::Slot(slot) => {
                self.emit(Instruction::Load(u32::try_from(*slot).ok()?));
            }
            Tree::Unary(operator, inner) => {
                self.tree(inner)?;
                self.emit(Instruction::Unary(*operator));
            }
            Tree::Binary(operator @ (Binary::And | Binary::Or), pair) => {
                self.tree(&pair[0])?;
                let jump = self.emit(match operator {
                    Binary::And => Instruction::JumpIfFalseElsePop(0),
                    _ => Instruction::JumpIfTrueElsePop(0),
                });
                self.tree(&pair[1])?;
                self.land(jump);
            }
            Tree::Binary(operator, pair) => {
                self.tree(&pair[0])?;
                self.tree(&pair[1])?;
                self.emit(Instruction::Binary(*operator));
            }
            Tree::Compare(first, rest) => self.chain(first, rest)?,
            Tree::Choose(three) => {
                self.tree(&three[0])?;
                let otherwise = self.emit(Instruction::PopJumpIfFalse(0));
                self.tree(&three[1])?;
                let end = self.emit(Instruction::Jump(0));
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

    /// `a < b < c`: evaluates each operand once, and none after the first comparison that fails.
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
            self.emit(Instruction::Keep);
            self.emit(Instruction::Compare(operator));
            failures.push(self.emit(Instruction::JumpIfFalseElsePop(0)));
        }
        self.tree(&last.1)?;
        self.emit(Instruction::Compare(numeric(last.0)?));
        if !failures.is_empty() {
            let end = self.emit(Instruction::Jump(0));
            for failure in failures {
                self.land(failure);
            }
            // After a failed comparison the kept operand lies under the result.
            self.depth += 1;
            self.emit(Instruction::DropUnder);
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
        self.emit(Instruction::Member(first, u32::try_from(self.numbers.len()).ok()?));
        if operator == Comparison::NotIn {
            self.emit(Instruction::Unary(Unary::Not));
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
                        Function::Min => Instruction::Smaller,
                        _ => Instruction::Greater,
                    });
                }
            }
            (Function::Pow, [base, exponent]) => {
                self.tree(base)?;
                self.tree(exponent)?;
                self.emit(Instruction::Binary(Binary::Power));
            }
            (_, [x]) if function.of_one(Num::Int(1)).is_some() => {
                self.tree(x)?;
                self.emit(Instruction::Call(function));
            }
            _ => return None,
        }
        Some(())
    }
}

fn numeric(comparison: Comparison) -> Option<Comparison> {
    (!matches!(comparison, Comparison::In | Comparison::NotIn)).then_some(comparison)
}
