/**
 * The whole website hosting layer for tests: control plane, hosting service and Caddy, with two boxes of three tenants.
 * Box one is reached with http, box two with https.
 */
import { randomBytes } from 'node:crypto';
import { createTestBox } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { type DnsResponse, startResponder } from '../../boxes/testing/dns-responder.ts';
import { startTestControlPlane } from '../../test/test-control-plane.ts';
import { startHosting } from '../index.ts';
import { startTestCaddy, startTlsFront } from './caddy.ts';

const packages = ['@carton/core', '@carton/auth', '@carton/tenant'];

/** The hosts of the three tenants. `wool` is found by its wildcard, the others by their exact hosts. */
export const hosts = {
  linen: 'linen.example',
  buecher: 'xn--bcher-kva.example',
  wool: 'wool.shops.example',
};

export async function startTestHosting(t: Test) {
  const responses: Record<string, DnsResponse> = {
    'one.boxes.shop': { a: ['127.0.0.1'] },
    'two.boxes.shop': { a: ['127.0.0.1'] },
  };
  const responder = await startResponder(t, responses);
  const controlPlane = await startTestControlPlane(t, {
    nameserverLookup: responder.address,
    allowHttpBackends: true,
    allowPrivateBackends: true,
    signingKeySecret: randomBytes(24).toString('hex'),
  });
  const { key } = await controlPlane.mint();
  const deploy = async (name: string, backendUrl: string, domains: string[], licence = key) => {
    const answer = await controlPlane.visitor().post('/boxes/deploy', { key: licence, name, backendUrl, domains });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  const replaceSecret = async (name: string, licence = key) => {
    const headers = { authorization: `Bearer ${licence}` };
    const { status, body } = await controlPlane.visitor().post('/boxes/hosting-secret', { name }, { headers });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.hostingSecret as string;
  };
  const startBox = async (name: string) => {
    await deploy(name, 'https://192.0.2.1', []);
    const hostingSecret = await replaceSecret(name);
    return createTestBox(t, { packages, tier: 'basic', trustProxy: 'loopback', hostingSecret });
  };
  const [one, two] = [await startBox('one'), await startBox('two')];
  const linen = await one.openTenant('linen-shop');
  const buecher = await one.openTenant('buecher-shop');
  const wool = await two.openTenant('wool');
  for (const [tenant, host] of [
    [linen, hosts.linen],
    [buecher, 'bücher.example'],
  ] as const) {
    const { status, body } = await one.operator.post(`/admin/tenants/${tenant.id}/domains`, { host });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  const front = await startTlsFront(t, two.url);
  await deploy('one', `http://one.boxes.shop:${new URL(one.url).port}`, [
    hosts.linen,
    'Bücher.example',
    'loose.example',
  ]);
  await deploy('two', `https://two.boxes.shop:${front.port}`, ['*.shops.example']);

  let now = 0;
  const log: { message: string; fields: Record<string, unknown> }[] = [];
  const proxySecret = randomBytes(24).toString('hex');
  const hosting = await startHosting({
    host: '127.0.0.1',
    port: 0,
    namesPort: 0,
    controlPlaneUrl: controlPlane.url,
    hostingSecret: controlPlane.options.hostingSecret as string,
    proxySecret,
    log: (_, message, fields = {}) => log.push({ message, fields }),
    elapsed: () => now,
  });
  t.teardown(() => hosting.stop());
  const caddy = await startTestCaddy(t, {
    HOSTING_SERVICE: hosting.url.replace('http://', ''),
    HOSTING_NAMES: hosting.names,
    PROXY_SECRET: proxySecret,
    SSL_CERT_FILE: front.authorityFile,
  });
  return {
    controlPlane,
    key,
    deploy,
    replaceSecret,
    boxes: { one, two },
    tenants: { linen, buecher, wool },
    responses,
    hosting,
    proxySecret,
    log,
    caddy,
    front,
    /** Lets this many seconds pass for the caches of the hosting service. */
    pass(seconds: number) {
      now += seconds * 1000;
    },
  };
}
