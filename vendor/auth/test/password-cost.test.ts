/**
 * The cost of password hashes: a process that is no test's has the production cost, and the helpers of tests a small one
 * that leaves hashes valid everywhere.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTestBox, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import * as auth from '../index.ts';
import { hire, packages, password } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

/** Evaluates an expression over `auth`, what @carton/auth exports, in a process that loads nothing else. */
async function evaluate(expression: string): Promise<unknown> {
  const program = `const auth = await import('@carton/auth'); console.log(JSON.stringify(await (${expression})))`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=workspace-source', '--input-type=module', '--eval', program],
    { cwd: new URL('.', `file://${sourceRoot}`) },
  );
  return JSON.parse(stdout);
}

t.test('outside of tests a hash has the cost that OWASP recommends', async (t) => {
  const stored = String(await evaluate(`auth.hashPassword('${password}')`));
  t.match(stored, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  t.equal(await auth.verifyPassword(password, stored), true, 'a process with another cost verifies it');
  t.equal(await auth.verifyPassword('wrong', stored), false);
});

t.test('nothing that the package exports changes the cost', (t) => {
  t.notOk(Object.keys(auth).some((name) => /cost|quick/i.test(name)));
  t.end();
});

t.test('in a box of a test a hash is quick, and valid in any process', async (t) => {
  const { id } = await hire(box, 'viewer');
  const [person] = await box.db.query<{ passwordHash: string }>(
    'select password_hash from staff_users where tenant_id = $1 and id = $2',
    [id],
  );
  const stored = person?.passwordHash as string;
  t.match(stored, /^scrypt\$16\$1\$1\$/);
  t.equal(await evaluate(`auth.verifyPassword('${password}', '${stored}')`), true);
  t.equal(await evaluate(`auth.verifyPassword('wrong', '${stored}')`), false);
});
