/**
 * Warnings before a licence expires or ends: each once, whatever replicas do, and again after a renewal.
 */
import { connect } from '@carton/runtime/service';
import t from 'tap';
import { removeOldWarnings, warnOfExpiry } from '../license/warnings.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { admin, db, databaseUrl } = controlPlane;
const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

/** Moves the expiry or the end of a licence, and what was recorded of it, by some days into the past. */
async function pass(id: string, days: number, column: 'expires_at' | 'ends_at' = 'expires_at'): Promise<void> {
  const earlier = (name: string) => db.raw(`?? - ? * interval '1 day'`, [name, days]);
  await db('license_keys')
    .where({ id })
    .update({ [column]: earlier(column) });
  await db('license_warnings')
    .where({ licenseId: id, term: column === 'expires_at' ? 'expiry' : 'end' })
    .update({ instant: earlier('instant') });
}

/** The warnings of a licence, oldest first: `license.expiring 14`. */
async function warningsOf(id: string): Promise<string[]> {
  const { items } = (await admin.get(`/events?resourceId=${id}&limit=100`)).body;
  return items
    .filter(({ type }: { type: string }) => /\.(expir|end)(ing|ed)$/.test(type))
    .map(({ type, payload: { days } }: { type: string; payload: { days?: number } }) =>
      days === undefined ? type : `${type} ${days}`,
    )
    .toReversed();
}

t.test('a licence is warned of 30, 14, 7 and 1 days before it expires, and when it has', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(40));
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), []);
  for (const days of [9, 2, 15, 8, 5, 2, 2]) {
    await pass(id, days);
    await warnOfExpiry(db);
    await warnOfExpiry(db);
  }
  t.strictSame(await warningsOf(id), [
    'license.expiring 30',
    'license.expiring 14',
    'license.expiring 7',
    'license.expiring 1',
    'license.expired',
  ]);
  const [expired] = (await admin.get(`/events?resourceId=${id}&type=license.expired`)).body.items;
  t.match(expired.payload, { status: 'expired', customerId: 'acme' });
});

t.test('of warnings that were missed, the last is made', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(31));
  await pass(id, 25);
  await warnOfExpiry(db);
  await pass(id, 7);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 7', 'license.expired']);
});

t.test('a day that has passed when a licence is minted is no warning', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(10));
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), []);
  await pass(id, 4);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 7']);
});

t.test('a renewed licence is warned of again, for its new expiry', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(20));
  await pass(id, 10);
  await warnOfExpiry(db);
  const expiresAt = inDays(20);
  await admin.post(`/license/keys/${id}/renew`, { expiresAt });
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 14']);
  await admin.post(`/license/keys/${id}/renew`, { expiresAt });
  await pass(id, 10);
  await warnOfExpiry(db);
  await pass(id, 11);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 14', 'license.expiring 14', 'license.expired']);
  await admin.post(`/license/keys/${id}/renew`, { expiresAt: null });
  await warnOfExpiry(db);
  t.equal((await warningsOf(id)).length, 3);
});

t.test('a replaced licence is warned of before its end, in place of its expiry', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(35));
  const { body } = await admin.post(`/license/keys/${id}/replace`, { overlapHours: 48 });
  await pass(id, 1.5, 'ends_at');
  await pass(id, 10);
  await pass(body.id, 10);
  await warnOfExpiry(db);
  await pass(id, 1, 'ends_at');
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.ending 1', 'license.ended']);
  t.strictSame(await warningsOf(body.id), ['license.expiring 30']);
  const at = await controlPlane.mint('acme');
  await admin.post(`/license/keys/${at.id}/replace`, { overlapHours: 0 });
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(at.id), ['license.ended']);
});

t.test('a suspended licence is warned of once it is reinstated, a revoked one never', async (t) => {
  const { id } = await controlPlane.mint('acme', 'basic', inDays(20));
  const revoked = await controlPlane.mint('acme', 'basic', inDays(20));
  await admin.post(`/license/keys/${id}/suspend`);
  await admin.post(`/license/keys/${revoked.id}/revoke`);
  for (const { id: each } of [{ id }, revoked]) await pass(each, 10);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), []);
  await admin.post(`/license/keys/${id}/reinstate`);
  await pass(revoked.id, 11);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 14']);
  t.strictSame(await warningsOf(revoked.id), []);
});

t.test('replicas make each warning once', async (t) => {
  const replicas = [1, 2, 3, 4].map(() => connect({ url: databaseUrl, poolSize: 2 }));
  t.teardown(() => Promise.all(replicas.map((replica) => replica.destroy())));
  const count = 130;
  const minted = await Promise.all(Array.from({ length: count }, () => controlPlane.mint('many', 'basic', inDays(20))));
  await db('license_keys')
    .where({ customerId: 'many' })
    .update({ expiresAt: db.raw("expires_at - interval '10 days'") });
  await db('license_warnings').delete();
  for (let round = 0; round < 5; round += 1) {
    await db('license_warnings').delete();
    await db('events').whereIn('type', ['license.expiring']).delete();
    await Promise.all(replicas.map((replica) => warnOfExpiry(replica)));
    await warnOfExpiry(db);
    const made = await db('events').where({ type: 'license.expiring', customerId: 'many' }).select('resourceId');
    t.equal(made.length, count);
    t.equal(new Set(made.map(({ resourceId }) => resourceId)).size, minted.length);
  }
});

t.test('what was due before an upgrade is no warning, and old warnings are forgotten', async (t) => {
  const migration = await import(
    new URL('../migrations/20261125020000_control_plane_warn_of_expiry.js', import.meta.url).href
  );
  const { id } = await controlPlane.mint('acme', 'basic', inDays(20));
  const expired = await controlPlane.mint('acme', 'basic', inDays(20));
  await migration.down(db);
  await db('license_keys')
    .where({ id })
    .update({ expiresAt: inDays(8) });
  await controlPlane.expire(expired.id);
  await migration.up(db);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), []);
  t.strictSame(await warningsOf(expired.id), []);
  await pass(id, 2);
  await warnOfExpiry(db);
  t.strictSame(await warningsOf(id), ['license.expiring 7']);
  await pass(expired.id, 61);
  t.ok((await removeOldWarnings(db)) >= 5);
  t.strictSame(await db('license_warnings').where({ licenseId: expired.id }), []);
});
