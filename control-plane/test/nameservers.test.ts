/**
 * A control plane without nameservers: boxes are deployed, and only TXT records prove their domains.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { type DnsResponse, startResponder } from '../boxes/testing/dns-responder.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = { 'delegated.shop': ['ns1.vendor.example'] };
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameservers: [], nameserverLookup: responder.address });

t.test('without nameservers, boxes are deployed and delegation proves nothing', async (t) => {
  const { key } = await controlPlane.mint();
  const registered = ['delegated.shop', 'other.shop'];
  const caller = controlPlane.visitor();
  const deployed = await caller.post('/boxes/deploy', {
    key,
    name: 'shop',
    backendUrl: 'https://box.example.com',
    domains: registered,
  });
  t.match(deployed, { status: 200, body: { registered, nameservers: exactly([]) } });
  const license = { headers: { authorization: `Bearer ${key}` } };
  const verify = async () => (await caller.post('/boxes/domains/verify', { name: 'shop' }, license)).body.domains;
  const unproved = {
    state: 'pending',
    provedBy: null,
    expectedNameservers: exactly([]),
    observedNameservers: exactly([]),
    errors: exactly([{ code: 'record_missing' }]),
  };
  const before = await verify();
  t.match(before, exactly([unproved, unproved]));
  t.notOk(responder.queries.includes('delegated.shop'), 'its nameservers are not looked up');
  const { record } = before[0];
  responses[record.name] = { txt: [record.value] };
  t.match(await verify(), exactly([{ state: 'proved', provedBy: 'record', errors: exactly([]) }, unproved]));
});
