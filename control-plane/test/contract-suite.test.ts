/**
 * The contract suite on the control plane: every route is compared with its declaration, with two customers who must not
 * see each other's data.
 */
import { randomBytes } from 'node:crypto';
import { checkContract, openRows, type Side, summaryOf, type Target } from '@carton/runtime/testing/contract';
import t from 'tap';
import { accessKinds } from '../access.ts';
import { startTestControlPlane, type TestControlPlane } from './test-control-plane.ts';

async function createSide(controlPlane: TestControlPlane): Promise<Side> {
  const { id, key, customerId } = await controlPlane.mint(`customer-${randomBytes(4).toString('hex')}`);
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const credentials: Record<string, Record<string, string>> = {
    admin: bearer(controlPlane.options.adminSecret),
    registry: bearer(controlPlane.options.registrySecret),
    publisher: bearer(controlPlane.options.publishSecret as string),
    hosting: bearer(controlPlane.options.hostingSecret as string),
    license: bearer(key),
  };
  return {
    name: customerId,
    marker: `mark${randomBytes(4).toString('hex')}`,
    identity: customerId,
    secrets: [customerId, key],
    reserved: [id],
    known: [{ key }],
    // A new IP address each time, so that invalid keys do not reach the limit of guesses.
    routingHeaders: () => controlPlane.visitor().headers,
    credential: (kind) => credentials[kind],
    async renew() {},
    limited: [],
  };
}

t.test('every route matches its declaration', async (t) => {
  // No DNS server listens there: the delegation of domains is not tested here.
  const controlPlane = await startTestControlPlane(t, { nameserverLookup: '127.0.0.1:9' });
  const rows = openRows(controlPlane.databaseUrl, { tables: ['signing_keys'], columns: [], rows: {} });
  t.teardown(() => rows.close());
  const target: Target = {
    url: controlPlane.url,
    declarations: controlPlane.server.routes.map(({ declaration }) => declaration),
    commonProblems: [],
    optionalAccess: new Set(accessKinds.filter(({ optional }) => optional).map(({ name }) => name)),
    wideAccess: new Set(['admin', 'registry', 'publisher', 'hosting']),
    needsNoPermission: () => true,
    sides: [await createSide(controlPlane), await createSide(controlPlane)],
    // A key identifies its customer, so requests cannot name another one.
    requestsNameSide: false,
    isShared: ({ path }) => path.startsWith('/releases'),
    rows,
  };
  const result = await checkContract(target);
  for (const line of summaryOf(result)) t.comment(line);
  t.strictSame(result.failures, []);
  t.equal(result.routes, controlPlane.server.routes.length);
});
