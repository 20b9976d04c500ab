/**
 * Splits a migration's SQL into statements that Citus can run on distributed tables. Migrations are written for
 * PostgreSQL and use some forms that Citus rejects: those are split or left out here, with the same effect.
 */

/** A comment, a quoted token (`'…'`, `"…"`, `$tag$…$tag$`), or one character. */
const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[\s\S]/g;

/** Splits at separators outside comments, quotes and parentheses, and removes comments. */
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
 * Citus has no sequences on its workers. Here they only order rows that are written under one lock, and the node's
 * clock in microseconds does that as well.
 */
export function withoutSequence(definition: string): string {
  return definition.replaceAll(
    /\bdefault\s+nextval\([^)]*\)/gi,
    'default (extract(epoch from clock_timestamp()) * 1000000)::bigint',
  );
}

/** Citus rejects `on delete set null` for distributed tables: without it the foreign key forbids the deletion. */
export function withoutSetNull(definition: string): string {
  return definition.replaceAll(/\s+on delete set null(\s*\([^)]*\))?/gi, '');
}

/**
 * The statements of a migration; an `alter table` with several actions becomes one statement for each.
 * @example statementsOf('alter table a drop column b, add c int') // ['alter table a drop column b', 'alter table a add c int']
 */
export function statementsOf(sql: string): string[] {
  return split(sql, ';').flatMap((statement) => {
    const [head, table] = /^alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?((?:"[^"]*"|[\w.])+)/i.exec(statement) ?? [];
    if (!head || !table) return [withoutSequence(withoutSetNull(statement))];
    const actions = split(statement.slice(head.length), ',').flatMap(splitCheck);
    return actions.map((action) => `${head} ${withoutSequence(withoutSetNull(action))}`);
  });
}

/** Splits `add column … check (…)` into the column and its check, to which PostgreSQL gives the same name. */
function splitCheck(action: string): string[] {
  const [, column, check] =
    /^(add\s+(?!constraint\b)(?:column\s+)?\S+\s[\s\S]*?)\s+(check\s*\([\s\S]*\))$/i.exec(action) ?? [];
  return column && check ? [column, `add ${check}`] : [action];
}
