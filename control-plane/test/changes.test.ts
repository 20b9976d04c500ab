/**
 * What `changesFor` declares is journalled, and its handler gets the transaction: anything else does not compile.
 */
import { object, routeFor, Type } from '@carton/runtime/service';
import type { Knex } from 'knex';
import t from 'tap';
import { isJournalled, journalled } from '../administrators/journalled.ts';
import { lockLicense } from '../license/store.ts';
import { type CommonCallers, type CommonServices, changesFor } from '../services.ts';
import { makeDatabase } from './test-control-plane.ts';

const change = changesFor();
const route = routeFor<CommonServices, CommonCallers>();
const declared = {
  path: '/license/keys/:id',
  operationId: 'holdLicense',
  tag: 'Licences',
  summary: 'Hold a licence',
  access: 'admin',
  status: 200,
  response: object({ held: Type.Boolean() }),
} as const;
const hold = async ({ db, params }: { db: Knex.Transaction; params: { id: string } }) => ({
  held: db.isTransaction && (await lockLicense(db, params.id)) !== null,
});

t.test('the handler of a change gets a transaction, and others get none', async (t) => {
  const { db } = await makeDatabase(t);
  const seen: boolean[] = [];
  const held = change({ ...declared, method: 'post' }, async ({ db: given }) => {
    seen.push(given.isTransaction === true);
    throw new Error('stop before the journal');
  });
  t.equal(isJournalled(held), true);
  const handler = journalled(held).handler as unknown as (input: object) => Promise<unknown>;
  await t.rejects(handler({ db, params: { id: 'x' } }));
  t.strictSame(seen, [true]);
});

t.test('what would get no transaction does not compile', async (t) => {
  // @ts-expect-error a read is not journalled
  const read = change({ ...declared, method: 'get' }, hold);
  t.equal(isJournalled(read), false);
  // @ts-expect-error a change of others is not journalled
  const ofOthers = change({ ...declared, method: 'post', access: 'registry' }, hold);
  t.equal(isJournalled(ofOthers), false);
  // @ts-expect-error it is journalled after its work
  change({ ...declared, method: 'post', outsideTransaction: true }, hold);
  // @ts-expect-error its handler gets connections
  const ordinary = route({ ...declared, method: 'post' }, hold);
  t.equal(isJournalled(ordinary), true);
});
