/**
 * A migration's SQL as single statements that Citus can deal out to its nodes. A migration is written for PostgreSQL
 * and says more at once than Citus takes: what is split or left out here means the same on a distributed table.
 */

/** A comment, a text (`'…'`, `"…"`, `$tag$…$tag$`), or one character. */
const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[\s\S]/g;

/** Splits at a separator that stands in no comment, text or parenthesis; comments go. */
function split(sql: string, separator: ';' | ','): string[] {
  const parts = [''];
  let depth = 0;
  for (const [text] of sql.matchAll(token)) {
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (text === separator && depth === 0) parts.push('');
    else if (!/^(--|\/\*)/.test(text)) parts[parts.length - 1] += text;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/**
 * Citus keeps no sequence on its nodes. What is counted there, the order of what is written under one lock, the node's
 * clock tells too, in microseconds.
 */
export function withoutSequence(definition: string): string {
  return definition.replaceAll(
    /\bdefault\s+nextval\([^)]*\)/gi,
    'default (extract(epoch from clock_timestamp()) * 1000000)::bigint',
  );
}

/** Citus refuses that the node of a row sets a column elsewhere to null: there such a reference only forbids. */
export function withoutSetNull(definition: string): string {
  return definition.replaceAll(/\s+on delete set null(\s*\([^)]*\))?/gi, '');
}

/**
 * The statements of a migration, each by itself; an `alter table` of several actions as one for each action.
 * @example statementsOf('alter table a drop column b, add c int') // ['alter table a drop column b', 'alter table a add c int']
 */
export function statementsOf(sql: string): string[] {
  return split(sql, ';').flatMap((statement) => {
    const [head, table] = /^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?((?:"[^"]*"|[\w.])+)/i.exec(statement) ?? [];
    if (!head || !table) return [withoutSequence(withoutSetNull(statement))];
    const actions = split(statement.slice(head.length), ',').flatMap(withCheckApart);
    return actions.map((action) => `${head} ${withoutSequence(withoutSetNull(action))}`);
  });
}

/** A new column that ends with its check, as a column and then a check, which PostgreSQL names alike. */
function withCheckApart(action: string): string[] {
  const [, column, check] =
    /^(add\s+(?!constraint\b)(?:column\s+)?\S+\s[\s\S]*?)\s+(check\s*\([\s\S]*\))$/i.exec(action) ?? [];
  return column && check ? [column, `add ${check}`] : [action];
}
