//! Where the parts of an expression stand in its text.

use std::ops::Range;

use cel::common::ast::{EntryExpr, Expr, IdedExpr, SourceInfo, operators};

/// The part of the text that an expression covers, as far as the parser recorded it.
pub(super) fn of(expression: &IdedExpr, source: &SourceInfo) -> Range<usize> {
    let mut span = None;
    if !matches!(expression.expr, Expr::Select(_)) {
        cover(expression, source, &mut span);
    }
    let Range { start, end } = span.unwrap_or(0..source.source.len());
    let text = source.source.as_str();
    // The name of a call stands before its bracket, and a field after its dot.
    let (start, end) = match &expression.expr {
        Expr::Call(call) if call.func_name == operators::INDEX => (start, closed(text, end)),
        Expr::Call(call) if call.target.is_none() => {
            let before = text.get(..start).unwrap_or_default().trim_end();
            match before.strip_suffix(call.func_name.as_str()) {
                Some(before) => (before.len(), closed(text, end)),
                None => (start, end),
            }
        }
        Expr::Call(_) | Expr::Comprehension(_) => (start, closed(text, end)),
        Expr::Select(select) => {
            let operand = of(&select.operand, source);
            let rest = text.get(operand.end..).unwrap_or_default();
            let field = rest.trim_start().strip_prefix('.').map(str::trim_start);
            let named = field.and_then(|field| field.strip_prefix(select.field.as_str()));
            let end = named.map_or(operand.end, |after| text.len() - after.len());
            (operand.start, end)
        }
        _ => (start, end),
    };
    clamped(start..end, text)
}

/// With the bracket that follows, if one does.
fn closed(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end) {
        Some(b')' | b']') => end + 1,
        _ => end,
    }
}

/// Makes a span one of the text, on character boundaries.
pub(super) fn clamped(span: Range<usize>, text: &str) -> Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// The place of a line and a column, both counted from 1, the column in characters.
pub(super) fn at(line: isize, column: isize, text: &str) -> Range<usize> {
    let line = usize::try_from(line).unwrap_or_default().max(1);
    let column = usize::try_from(column).unwrap_or_default().max(1);
    let before: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let rest = text.get(before..).unwrap_or_default();
    let mut chars = rest.char_indices().skip(column - 1);
    match chars.next() {
        Some((at, char)) => before + at..before + at + char.len_utf8(),
        None => text.len()..text.len(),
    }
}

fn cover(expression: &IdedExpr, source: &SourceInfo, span: &mut Option<Range<usize>>) {
    let own = match &expression.expr {
        Expr::Select(select) if !select.test => Some(of(expression, source)),
        _ => source
            .offset_for(expression.id)
            .map(|(start, stop)| start as usize..stop as usize + 1),
    };
    if let Some(Range { start, end }) = own {
        *span = Some(match span.take() {
            Some(old) => old.start.min(start)..old.end.max(end),
            None => start..end,
        });
    }
    let mut cover = |part: &IdedExpr| cover(part, source, span);
    match &expression.expr {
        Expr::Call(call) => {
            call.target.iter().for_each(|target| cover(target));
            call.args.iter().for_each(cover);
        }
        Expr::Select(select) if select.test => cover(&select.operand),
        Expr::List(list) => list.elements.iter().for_each(cover),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    cover(&entry.key);
                    cover(&entry.value);
                }
            }
        }
        Expr::Comprehension(it) => {
            cover(&it.iter_range);
            cover(&it.loop_step);
        }
        _ => {}
    }
}
