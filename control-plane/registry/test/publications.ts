// Publishes versions by plain requests, which is faster than npm's client and can be wrong on purpose.

import { createHash } from 'node:crypto';
import type { Registry } from '../index.ts';
import { publishSecret, send } from '../testing/index.ts';

export const integrityOf = (content: string | Buffer) =>
  `sha512-${createHash('sha512').update(content).digest('base64')}`;

/** The body with which npm's client publishes a version; its tarball has any content. */
export function publicationOf(name: string, version: string, content: string, changes: object = {}) {
  const base = `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
  const data = Buffer.from(content);
  const dist = { integrity: integrityOf(data), tarball: `http://registry/${name}/-/${base}` };
  return {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, carton: { tier: 'basic' }, readme: `The readme of ${version}`, dist } },
    _attachments: { [`${name}-${version}.tgz`]: { data: data.toString('base64'), length: data.length } },
    ...changes,
  };
}

const pathOf = (name: string) => `/${name.replace('/', '%2f')}`;

/** Sends a change as the publisher. */
export async function change(registry: Registry, method: string, path: string, body?: unknown, type?: string) {
  const headers = { 'Content-Type': type ?? 'application/json' };
  const text = typeof body === 'string' && type !== undefined ? body : JSON.stringify(body);
  const response = await send(registry, path, publishSecret, { method, headers, body: text });
  return { status: response.status, headers: response.headers, body: JSON.parse(response.body) };
}

export async function publishVersion(registry: Registry, name: string, version: string, content: string) {
  return change(registry, 'PUT', pathOf(name), publicationOf(name, version, content));
}

/** The packument as the publisher reads it; undefined if there is none. */
export async function readPackument(registry: Registry, name: string) {
  const { status, body } = await send(registry, `${pathOf(name)}?write=true`, publishSecret);
  return status === 200 ? JSON.parse(body) : undefined;
}

/** The versions of a package in order, and those whose tarball is missing or not the one of the manifest. */
export async function versionsOf(registry: Registry, name: string) {
  const packument = await readPackument(registry, name);
  const wrong: string[] = [];
  const versions = Object.keys(packument?.versions ?? {}).sort();
  for (const version of versions) {
    const path = `/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
    const { status, body } = await send(registry, path, publishSecret);
    const { integrity } = packument.versions[version].dist;
    if (status !== 200 || integrityOf(Buffer.from(body, 'latin1')) !== integrity) wrong.push(version);
  }
  return { versions, wrong };
}
