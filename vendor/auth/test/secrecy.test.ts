/**
 * Nothing that a visitor can observe tells whether a member of staff has an address: for each kind of address a
 * request has the same response and does the same work, in statements, rows and hashes of passwords. Time is measured by
 * `npm run rig -- timing`.
 */
import { createHook } from 'node:async_hooks';
import { createTestBox } from '@carton/runtime/testing';
import { StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { forgetAttempts, hire, packages } from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const visitor = box.visitor();
const recorder = new StatementRecorder(box.box.database);

let hashes = 0;
const hook = createHook({
  init(_, type) {
    if (type === 'SCRYPTREQUEST') hashes += 1;
  },
}).enable();
t.teardown(() => hook.disable());

const active = await hire(box, 'viewer');
const disabled = await hire(box, 'viewer');
await box.staff.patch(`/admin/users/${disabled.id}`, { status: 'disabled' });

/** Statements of the request, without those of the background worker. */
const isOfRequest = (text: string) => /auth_attempts|staff_users|staff_tokens|insert into event_outbox/.test(text);
const tables = ['auth_attempts', 'staff_tokens', 'staff_sessions', 'event_outbox'];

async function countRows(): Promise<number[]> {
  const counts: number[] = [];
  for (const table of tables) {
    const [row] = await box.db.query<{ count: number }>(
      `select count(*)::integer as count from ${table} where tenant_id = $1`,
    );
    counts.push(row?.count ?? 0);
  }
  return counts;
}

async function observe(path: string, body: Record<string, unknown>) {
  await forgetAttempts(box);
  const [hashesBefore, rowsBefore] = [hashes, await countRows()];
  let answer: unknown;
  const sent = await recorder.record(async () => {
    const { status, body: received, headers } = await visitor.post(path, body);
    const { instance: _, ...problem } = Object(received);
    answer = [status, received && problem, [...headers.keys()].sort()];
  });
  const rows = (await countRows()).map((count, at) => count - (rowsBefore[at] as number));
  const statements = sent.map(({ text }) => text).filter(isOfRequest);
  return { answer, statements, rows, hashes: hashes - hashesBefore };
}

const requests: [path: string, body: Record<string, unknown>, hashes: number, rows: number[]][] = [
  ['/admin/auth/login', { password: 'a wrong password' }, 1, [3, 0, 0, 1]],
  ['/admin/auth/password/forgot', {}, 0, [2, 1, 0, 1]],
];

for (const [path, body, work, rows] of requests) {
  t.test(`POST ${path} does the same for known and unknown addresses`, async (t) => {
    const unknown = await observe(path, { ...body, email: 'nobody@shop.example' });
    t.strictSame([unknown.hashes, unknown.rows], [work, rows]);
    t.ok(unknown.statements.length > 2);
    for (const { email } of [active, disabled]) t.strictSame(await observe(path, { ...body, email }), unknown);
  });
}
