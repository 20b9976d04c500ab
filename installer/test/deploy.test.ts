/**
 * `deploy` and `domains` with the real control plane and a DNS server.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { type DnsResponse, startResponder } from '../../control-plane/boxes/testing/dns-responder.ts';
import { nameservers, startTestControlPlane } from '../../control-plane/test/test-control-plane.ts';
import { editVariables } from '../box/edit-settings.ts';
import { scope } from '../vendor.ts';
import { key, makeBox, type TestBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());
const responses: Record<string, DnsResponse> = {};
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameserverLookup: responder.address });

/** An installed box of a licence of the real control plane. */
async function makeRegisteredBox(t: Test, licence: { key: string }): Promise<TestBox> {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const settings = JSON.parse(await readFile(box.folder.settings, 'utf8'));
  await writeFile(box.folder.settings, JSON.stringify({ ...settings, controlPlaneUrl: controlPlane.url }));
  const text = await readFile(box.folder.secrets, 'utf8');
  await writeFile(box.folder.secrets, editVariables(text, new Map([['LICENSE_KEY', licence.key]])));
  return box;
}

const hostingSecretOf = async (box: TestBox) => parseEnv(await readFile(box.folder.secrets, 'utf8')).HOSTING_SECRET;
const deployment = ['--name', 'berlin', '--url', 'https://box.example.com'];

t.test('a box is registered once with options, and then without', async (t) => {
  const licence = await controlPlane.mint();
  const box = await makeRegisteredBox(t, licence);
  const former = await hostingSecretOf(box);
  t.match(await box.run(['deploy', '--json']), { exitCode: 2, end: { error: { advice: /deploy --name/ } } });
  t.match(await box.run(['domains', '--json']), { exitCode: 2, end: { error: { message: /not registered yet/ } } });
  const first = await box.run(['deploy', ...deployment, '--domain', 'linen.store', 'www.linen.store', '--json']);
  t.match(first, {
    exitCode: 0,
    end: {
      result: {
        box: { name: 'berlin', domains: exactly([{ domain: 'linen.store' }, { domain: 'www.linen.store' }]) },
        nameservers: exactly(nameservers),
        hostingSecret: 'set',
      },
    },
  });
  const secret = await hostingSecretOf(box);
  t.match(secret, /^.{16,}$/);
  t.not(secret, former, 'the box has the secret that the website hosting layer sends');
  t.notMatch(first.stdout, secret);
  const again = await box.run(['deploy']);
  t.match(again, { exitCode: 0, stdout: /_carton\.linen\.store {2}TXT {2}carton-verification=/ });
  t.match(again.stdout, /delegate it to ns1\.vendor\.example and ns2\.vendor\.example/);
  t.equal(await hostingSecretOf(box), secret, 'a box keeps its secret');
  t.notMatch(again.stdout, licence.key);

  const replica = await makeRegisteredBox(t, licence);
  const ofReplica = await hostingSecretOf(replica);
  t.match(await replica.run(['deploy', '--name', 'berlin']), { exitCode: 0, stdout: /is that of before/ });
  t.equal(await hostingSecretOf(replica), ofReplica, 'another box of this name does not take the secret away');
});

t.test('an install keeps the registration', async (t) => {
  const box = await makeRegisteredBox(t, await controlPlane.mint());
  await box.run(['deploy', ...deployment]);
  const before = JSON.parse(await readFile(box.folder.settings, 'utf8')).deployment;
  t.match(before, { name: 'berlin', url: 'https://box.example.com', hostingSecret: 'set' });
  t.match(await box.install(['--no-start', '--host', '127.0.0.2']), { exitCode: 0 });
  t.match(JSON.parse(await readFile(box.folder.settings, 'utf8')), { host: '127.0.0.2', deployment: before });
});

t.test('domains are added, followed until they are proved, and removed', async (t) => {
  const box = await makeRegisteredBox(t, await controlPlane.mint());
  await box.run(['deploy', ...deployment]);
  t.match(await box.run(['domains']), { exitCode: 0, stdout: 'The box has no domains.\n' });
  const added = await box.run(['domains', 'add', 'WOOL.store.', '*.wool.store', '--json']);
  const { domains } = added.end.result as unknown as {
    domains: { domain: string; record: { name: string; value: string } }[];
  };
  t.match(domains, exactly([{ domain: 'wool.store' }, { domain: '*.wool.store' }]));
  t.match(await box.run(['domains']), { exitCode: 20, stdout: /wool\.store +pending/ });
  t.match(await box.run(['domains', 'status', '--check']), { exitCode: 20, stdout: /carton-verification=/ });

  const { ended, printed } = box.begin(['domains', 'status', '--watch', '--every', '1', '--json']);
  await printed('record_missing');
  for (const { record } of domains) {
    responses[record.name] = {
      txt: domains.filter((each) => each.record.name === record.name).map((each) => each.record.value),
    };
  }
  const { exitCode, end, events } = await ended;
  t.equal(exitCode, 0);
  t.match(end.result, { domains: exactly([{ state: 'proved' }, { state: 'proved' }]) });
  t.equal(events.filter(({ event }) => event === 'proved').length, 2);

  t.match(await box.run(['domains', 'remove', 'cotton.store', '--json']), { exitCode: 2 });
  t.match(await box.run(['domains', 'remove', '*.wool.store', '--json']), {
    exitCode: 0,
    end: { result: { domains: exactly([{ domain: 'wool.store', state: 'proved' }]) } },
  });
});

t.test('what is refused is named', async (t) => {
  const box = await makeRegisteredBox(t, await controlPlane.mint());
  t.match(await box.run(['deploy', '--name', 'berlin', '--url', 'https://10.0.0.1', '--json']), {
    exitCode: 2,
    end: { error: { code: 'usage', message: /backendUrl/ } },
  });
  await box.run(['deploy', ...deployment]);
  t.match(await box.run(['domains', 'add', '10.0.0.1', '--json']), { exitCode: 2 });
  t.match(await box.run(['domains', 'add', 'wool.store', '--json']), {
    exitCode: 2,
    end: { error: { code: 'usage', reason: 'domain_taken' } },
  });
  const licence = await controlPlane.mint();
  const suspended = await makeRegisteredBox(t, licence);
  await controlPlane.admin.post(`/license/keys/${licence.id}/suspend`);
  t.match(await suspended.run(['deploy', ...deployment, '--json']), {
    exitCode: 4,
    end: { error: { code: 'key_not_active' } },
  });
  const unknown = await makeRegisteredBox(t, { key: 'ctn_basic_unknown' });
  t.match(await unknown.run(['deploy', ...deployment, '--json']), {
    exitCode: 3,
    end: { error: { code: 'wrong_key' } },
  });
});

t.test('license shows the terms, whatever the state of the licence', async (t) => {
  const licence = await controlPlane.mint();
  await controlPlane.admin.patch(`/license/keys/${licence.id}`, { maxBoxes: 2, notes: 'for the vendor only' });
  const box = await makeRegisteredBox(t, licence);
  const terms = { status: 'active', expiresAt: null, maxBoxes: 2, maxInstallations: null };
  const shown = await box.run(['license', '--json']);
  t.match(shown, { exitCode: 0, end: { result: { state: 'active', terms } } });
  t.notMatch(shown.stdout, /for the vendor only/);
  await controlPlane.admin.post(`/license/keys/${licence.id}/suspend`);
  t.match(await box.run(['license', '--json']), {
    exitCode: 4,
    end: { result: { state: 'not_active', terms: { ...terms, status: 'suspended' } } },
  });
});
