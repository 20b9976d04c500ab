/**
 * Reads the accounts of single tenants with a service from a file that the operator keeps.
 */
import { readFileSync, statSync } from 'node:fs';

/**
 * Reads a JSON file of mode 0600 with an object by tenant (slug or id): `{"<slug>": {"secretKey": …}}`.
 * @param setting the environment variable that names the file, for errors
 * @param patterns the fields and their values; the first one is required
 * @throws Error naming the file and the field, without its value
 */
export function readAccountsFile<Field extends string>(
  setting: string,
  file: string,
  patterns: Readonly<Record<Field, RegExp>>,
): Map<string, Partial<Record<Field, string>>> {
  const invalid = (what: string) => new Error(`${setting}: ${file} ${what}`);
  let content: unknown;
  let mode: number;
  try {
    mode = statSync(file).mode;
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A JSON parser may quote a secret in its message.
    throw invalid(error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as Error).message}`);
  }
  if ((mode & 0o077) !== 0) throw invalid('can be read by others: chmod 600 it');
  if (!isRecord(content)) throw invalid('must hold an object with an account for each tenant');
  for (const [tenant, account] of Object.entries(content)) {
    if (!isRecord(account)) throw invalid(`must hold an object for ${tenant}`);
    const unknown = Object.keys(account).find((name) => !(name in patterns));
    if (unknown !== undefined) throw invalid(`has an unknown field "${unknown}" for ${tenant}`);
    for (const [at, [name, pattern]] of Object.entries<RegExp>(patterns).entries()) {
      const value = account[name];
      const isValid = value === undefined ? at > 0 : typeof value === 'string' && pattern.test(value);
      if (!isValid) throw invalid(`must have a ${name} for ${tenant} that matches ${pattern.source}`);
    }
  }
  return new Map(Object.entries(content)) as Map<string, Partial<Record<Field, string>>>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
