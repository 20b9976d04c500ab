/**
 * Every operation of the control plane with the credential that it requires, and a request that it accepts.
 */
import { packageName } from '@carton/runtime/service';
import type { Test } from 'tap';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

type Credential = 'admin' | 'registry' | 'publisher' | 'hosting' | 'license' | 'public';
export interface Row {
  method: string;
  path: string;
  credential: Credential;
  body?: unknown;
  status: number;
}

/** Starts a control plane that has what the requests name. */
export async function startWithRows(t: Test) {
  const controlPlane = await startTestControlPlane(t);
  const { key, id } = await controlPlane.mint('customer-1');
  const installationId = '0198f5a2-7c1e-4b5a-9f51-3f6a52a1c001';
  await controlPlane.visitor().post('/license/activate', { key }, { headers: { 'installation-id': installationId } });
  const trial = await controlPlane.admin.post('/license/keys', {
    customerId: 'customer-1',
    tier: 'basic',
    trial: true,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const replaced = await controlPlane.mint('customer-1');
  const other = await controlPlane.mint('customer-2');
  const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: ['shop.example.com'] };
  const report = { customerId: 'customer-1', tier: 'basic', packageName: packageName('cart'), outcome: 'allowed' };

  const administrator = await controlPlane.administrator('reader');
  const leaving = await controlPlane.administrator('reader');

  // Nothing is sent: the name does not exist.
  const webhookUrl = 'https://hooks.example.invalid/';
  const { body: webhook } = await controlPlane.admin.post('/webhooks', { url: webhookUrl });
  const { body: leavingWebhook } = await controlPlane.admin.post('/webhooks', { url: webhookUrl });
  const delivery = (await controlPlane.admin.post(`/webhooks/${webhook.id}/test`)).body.id;

  await controlPlane.visitor().post('/boxes/deploy', { ...box, domains: ['free.example.org'], name: 'other' });
  const rows: Row[] = [
    {
      method: 'POST',
      path: '/license/keys',
      credential: 'admin',
      body: { customerId: 'c', tier: 'basic' },
      status: 201,
    },
    { method: 'GET', path: '/license/keys', credential: 'admin', status: 200 },
    { method: 'GET', path: `/license/keys/${id}`, credential: 'admin', status: 200 },
    { method: 'PATCH', path: `/license/keys/${id}`, credential: 'admin', body: { label: 'l' }, status: 200 },
    {
      method: 'POST',
      path: `/license/keys/${trial.body.id}/convert`,
      credential: 'admin',
      body: { expiresAt: null },
      status: 200,
    },
    {
      method: 'POST',
      path: `/license/keys/${replaced.id}/replace`,
      credential: 'admin',
      body: { overlapHours: 1 },
      status: 201,
    },
    { method: 'GET', path: `/license/keys/${id}/packages`, credential: 'admin', status: 200 },
    { method: 'GET', path: `/license/keys/${id}/tier-change?tier=growth`, credential: 'admin', status: 200 },
    {
      method: 'POST',
      path: `/license/keys/${other.id}/tier-change`,
      credential: 'admin',
      body: { tier: 'growth' },
      status: 200,
    },
    { method: 'GET', path: `/license/keys/${id}/installations`, credential: 'admin', status: 200 },
    { method: 'GET', path: `/license/keys/${id}/activations`, credential: 'admin', status: 200 },
    {
      method: 'DELETE',
      path: `/license/keys/${id}/installations/${installationId}`,
      credential: 'admin',
      status: 204,
    },
    { method: 'POST', path: `/license/keys/${other.id}/suspend`, credential: 'admin', status: 200 },
    { method: 'POST', path: `/license/keys/${other.id}/reinstate`, credential: 'admin', status: 200 },
    { method: 'POST', path: `/license/keys/${id}/renew`, credential: 'admin', body: { expiresAt: null }, status: 200 },
    { method: 'POST', path: `/license/keys/${other.id}/revoke`, credential: 'admin', status: 200 },
    { method: 'POST', path: '/signing-keys/rotate', credential: 'admin', status: 201 },
    { method: 'GET', path: '/telemetry/downloads', credential: 'admin', status: 200 },
    { method: 'GET', path: '/telemetry/downloads/csv', credential: 'admin', status: 200 },
    { method: 'GET', path: '/telemetry/rollups', credential: 'admin', status: 200 },
    { method: 'GET', path: '/telemetry/rollups/csv', credential: 'admin', status: 200 },
    { method: 'GET', path: '/customers/versions', credential: 'admin', status: 200 },
    { method: 'GET', path: '/customers/installations', credential: 'admin', status: 200 },
    { method: 'GET', path: '/customers/installations/csv', credential: 'admin', status: 200 },
    { method: 'GET', path: '/customers/refusals', credential: 'admin', status: 200 },
    { method: 'GET', path: '/customers/export?customerId=customer-1', credential: 'admin', status: 200 },
    {
      method: 'POST',
      path: '/customers/erase',
      credential: 'admin',
      body: { customerId: 'c', revoke: true },
      status: 200,
    },
    { method: 'GET', path: '/events', credential: 'admin', status: 200 },
    { method: 'POST', path: '/webhooks', credential: 'admin', body: { url: webhookUrl }, status: 201 },
    { method: 'GET', path: '/webhooks', credential: 'admin', status: 200 },
    { method: 'GET', path: `/webhooks/${webhook.id}`, credential: 'admin', status: 200 },
    { method: 'PATCH', path: `/webhooks/${webhook.id}`, credential: 'admin', body: { label: 'l' }, status: 200 },
    { method: 'POST', path: `/webhooks/${webhook.id}/secret`, credential: 'admin', body: {}, status: 201 },
    { method: 'POST', path: `/webhooks/${webhook.id}/test`, credential: 'admin', status: 202 },
    {
      method: 'POST',
      path: `/webhooks/${webhook.id}/replay`,
      credential: 'admin',
      body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
      status: 202,
    },
    { method: 'GET', path: `/webhooks/${webhook.id}/deliveries`, credential: 'admin', status: 200 },
    { method: 'GET', path: `/webhooks/${webhook.id}/deliveries/${delivery}`, credential: 'admin', status: 200 },
    {
      method: 'POST',
      path: `/webhooks/${webhook.id}/deliveries/${delivery}/redeliver`,
      credential: 'admin',
      status: 202,
    },
    { method: 'DELETE', path: `/webhooks/${leavingWebhook.id}`, credential: 'admin', status: 204 },
    { method: 'GET', path: '/metrics', credential: 'admin', status: 200 },
    { method: 'DELETE', path: '/boxes/domains/free.example.org', credential: 'admin', status: 204 },
    {
      method: 'POST',
      path: '/administrators',
      credential: 'admin',
      body: { name: 'ada', role: 'reader' },
      status: 201,
    },
    { method: 'GET', path: '/administrators', credential: 'admin', status: 200 },
    { method: 'GET', path: `/administrators/${administrator.id}`, credential: 'admin', status: 200 },
    {
      method: 'PATCH',
      path: `/administrators/${administrator.id}`,
      credential: 'admin',
      body: { role: 'manager' },
      status: 200,
    },
    { method: 'POST', path: `/administrators/${administrator.id}/secret`, credential: 'admin', body: {}, status: 201 },
    { method: 'DELETE', path: `/administrators/${leaving.id}`, credential: 'admin', status: 204 },
    { method: 'GET', path: '/journal', credential: 'admin', status: 200 },
    { method: 'GET', path: '/journal/verification', credential: 'admin', status: 200 },
    { method: 'GET', path: '/license/withdrawals', credential: 'registry', status: 200 },
    { method: 'POST', path: '/telemetry/download', credential: 'registry', body: report, status: 202 },
    {
      method: 'POST',
      path: '/telemetry/downloads/batch',
      credential: 'registry',
      body: { reports: [{ idempotencyKey: 'k', report }] },
      status: 202,
    },
    { method: 'POST', path: '/boxes/deploy', credential: 'public', body: box, status: 200 },
    { method: 'GET', path: '/boxes/deploy/status?name=shop', credential: 'license', status: 200 },
    { method: 'POST', path: '/boxes/domains/verify', credential: 'license', body: { name: 'shop' }, status: 200 },
    { method: 'GET', path: '/license', credential: 'license', status: 200 },
    { method: 'POST', path: '/license/activate', credential: 'public', body: { key }, status: 200 },
    { method: 'GET', path: '/license/jwks', credential: 'public', status: 200 },
    { method: 'GET', path: '/.well-known/jwks.json', credential: 'public', status: 200 },
    { method: 'GET', path: '/boxes/resolve?host=shop.example.com', credential: 'public', status: 200 },
    { method: 'GET', path: '/boxes/hosting?host=shop.example.com', credential: 'hosting', status: 200 },
    { method: 'POST', path: '/boxes/hosting-secret', credential: 'license', body: { name: 'shop' }, status: 201 },
    { method: 'POST', path: '/releases', credential: 'publisher', body: firstRelease, status: 201 },
    { method: 'GET', path: '/releases/stable', credential: 'public', status: 200 },
    { method: 'GET', path: '/releases/stable/1.0.0', credential: 'public', status: 200 },
    { method: 'GET', path: '/catalogue', credential: 'public', status: 200 },
    { method: 'GET', path: '/health', credential: 'public', status: 200 },
    { method: 'GET', path: '/docs', credential: 'public', status: 200 },
    { method: 'GET', path: '/docs/json', credential: 'public', status: 200 },
  ];
  const { adminSecret, registrySecret, publishSecret = '', hostingSecret = '' } = controlPlane.options;
  const secrets = {
    admin: adminSecret,
    registry: registrySecret,
    publisher: publishSecret,
    hosting: hostingSecret,
    license: key,
  };
  const send = ({ method, path, body }: Row, authorization?: string) =>
    controlPlane.visitor().call(method, path, { body, headers: authorization === undefined ? {} : { authorization } });
  return {
    controlPlane,
    key,
    rows,
    secrets,
    /** Sends the request of a row. */
    send,
    /** The path of a row as the document has it. */
    documentedPath: (path: string) =>
      path
        .split('?')[0]
        ?.replace(installationId, '{installationId}')
        .replace(`deliveries/${delivery}`, 'deliveries/{deliveryId}')
        .replace(/[0-9a-f-]{36}/, '{id}')
        .replace('stable', '{channel}')
        .replace('1.0.0', '{version}')
        .replace('free.example.org', '{domain}'),
  };
}
