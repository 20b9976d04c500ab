/**
 * Every route of the control plane's API held against its declaration, with two customers who may know nothing of
 * each other.
 */
import { randomBytes } from 'node:crypto';
import { checkContract, openRows, type Side, summaryOf, type Target } from '@carton/runtime/testing/contract';
import t from 'tap';
import { accessKinds } from '../access.ts';
import { type Stand, startStand } from './stand.ts';

async function sideOf(stand: Stand): Promise<Side> {
  const { id, key, customerId } = await stand.mint(`customer-${randomBytes(4).toString('hex')}`);
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const credentials: Record<string, Record<string, string>> = {
    admin: bearer(stand.options.adminSecret),
    registry: bearer(stand.options.registrySecret),
    publisher: bearer(stand.options.publishSecret as string),
    license: bearer(key),
  };
  return {
    name: customerId,
    marker: `mark${randomBytes(4).toString('hex')}`,
    identity: customerId,
    secrets: [customerId, key],
    reserved: [id],
    known: [{ key }],
    // From an address of its own each time: it is guesses that are limited, and these are none.
    routingHeaders: () => stand.visitor().headers,
    credential: (kind) => credentials[kind],
    async renew() {},
    limited: [],
  };
}

t.test('every route keeps what it declares', async (t) => {
  // Nobody answers there: whether a domain is delegated is not what is asked here.
  const stand = await startStand(t, { nameserverLookup: '127.0.0.1:9' });
  const rows = openRows(stand.databaseUrl, { tables: ['signing_keys'], columns: [] });
  t.teardown(() => rows.close());
  const target: Target = {
    url: stand.url,
    declarations: stand.controlPlane.routes.map(({ declaration }) => declaration),
    commonProblems: [],
    optionalAccess: new Set(accessKinds.filter(({ optional }) => optional).map(({ name }) => name)),
    wideAccess: new Set(['admin', 'registry', 'publisher']),
    needsNoPermission: () => true,
    sides: [await sideOf(stand), await sideOf(stand)],
    // A key says whose it is: nothing of another's can be asked for with one's own.
    requestsNameSide: false,
    rows,
  };
  const result = await checkContract(target);
  for (const line of summaryOf(result)) t.comment(line);
  t.strictSame(result.failures, []);
  t.equal(result.routes, stand.controlPlane.routes.length);
});
