/**
 * Takes an S3-compatible service away while files are uploaded to it and read from it: requests get clear errors, nothing
 * that was stored is lost, and the box works again when the service does.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadTenant } from '../../tools/load/tenant.ts';
import type { RigBox } from '../support/box.ts';
import { withReader } from '../support/postgres.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { isProblem, type MediaClient, type MediaResponse, mediaClient } from './client.ts';
import { cleanUp, orphanFaults } from './folder.ts';
import { brandBox, gif } from './formats.ts';
import type { S3Service } from './s3-service.ts';

const uploads = 8;
/** Milliseconds until the box must use a service that works again. */
const recoveryTimeout = 30_000;

const film = () => {
  const header = Buffer.from('\0\0\0\0mdat', 'latin1');
  const content = randomBytes(6_000_000);
  header.writeUInt32BE(content.length + 8);
  return Buffer.concat([brandBox('isom'), header, content]);
};
const blobOf = (content: Buffer) => new Blob([new Uint8Array(content)]);

interface Stored {
  url: string;
  content: Buffer;
}

export async function takeServiceAway(
  stage: Stage,
  box: RigBox,
  tenant: LoadTenant,
  service: S3Service,
  databaseUrl: string,
): Promise<Findings> {
  const client = mediaClient(box.url, tenant);
  const broken: string[] = [];
  const expect = (holds: boolean, fault: string) => holds || broken.push(fault);
  const stored: Stored[] = [];
  const upload = async (content: Buffer): Promise<MediaResponse> => {
    const response = await client.upload(blobOf(content), 'file');
    if (response.status === 201 && response.body.kind === 'video') stored.push({ url: response.body.url, content });
    return response;
  };
  const picture = await upload(gif(400, 400, 1));
  expect(picture.status === 201, `a picture got ${picture.status}: ${JSON.stringify(picture.body)}`);
  const deleted = await upload(film());
  await upload(film());
  expect(stored.length === 2, `of two films ${stored.length} were stored`);
  const readBefore = await faultsOfReading(client, stored);
  broken.push(...readBefore);
  if (broken.length > 0) return { broken, counts: {} };

  stage.say(`${service.name} is killed during ${uploads} uploads`);
  const films = Array.from({ length: uploads }, film);
  const during = films.map((content, number) => sleep(number * 40).then(() => upload(content)));
  // Some are stored, some are on their way, and some have not begun.
  await Promise.race(during);
  await sleep(Math.random() * 100);
  await service.kill();
  const responses = await Promise.all(during);
  for (const response of [...responses, await upload(film()), await upload(gif(100, 100, 1))]) {
    const isClear = response.status === 201 || isProblem(response, [503]);
    expect(isClear, `an upload got ${response.status}: ${JSON.stringify(response.body)}`);
  }
  for (const path of [picture.body.url, picture.body.variants[0].url]) {
    const response = await client.read(path);
    expect(isProblem(response, [503]), `${path} got ${response.status}`);
  }
  const removal = await client.remove(deleted.body.id);
  expect(removal.status === 204, `a deletion got ${removal.status}: its file is deleted later`);
  stored.shift();
  expect((await client.read('/admin/media')).status === 200, 'assets cannot be listed');
  expect((await fetch(`${box.url}/health`)).status === 200, 'the box is not healthy without the service');

  stage.say(`${service.name} is back`);
  const started = performance.now();
  await service.start();
  while (
    !isProblemFree(await client.upload(blobOf(gif(50, 50, 1)), 'again')) &&
    performance.now() - started < recoveryTimeout
  ) {
    await sleep(200, undefined, { signal: stage.signal });
  }
  const recovery = Math.round(performance.now() - started);
  expect(recovery < recoveryTimeout, 'the box does not use the service again');
  broken.push(...(await faultsOfReading(client, stored)));
  const variant = await client.download(picture.body.variants[0].url);
  expect(variant.status === 200, `a sized variant got ${variant.status} afterwards`);
  await cleanUp(stage, databaseUrl);
  const objects = await service.objects();
  broken.push(...(await withReader(databaseUrl, (read) => orphanFaults(read, objects, tenant.tenantId))));
  const during201 = responses.filter(({ status }) => status === 201).length;
  return {
    broken: broken.map((line) => `${service.name}: ${line}`),
    counts: {
      [`${service.name}UploadsDuringKill`]: uploads,
      [`${service.name}StoredDuringKill`]: during201,
      [`${service.name}FilesReadAfterwards`]: stored.length,
      [`${service.name}RecoveryMs`]: recovery,
    },
  };
}

const isProblemFree = ({ status }: MediaResponse) => status === 201;

/** Each film is served as it was uploaded, also in part. */
async function faultsOfReading(client: MediaClient, stored: readonly Stored[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { url, content } of stored) {
    const { status, bytes } = await client.download(url);
    if (status !== 200 || !bytes.equals(content)) faults.push(`${url} got ${status}, ${bytes.length} bytes`);
    const part = await client.download(url, { range: 'bytes=1000-1999' });
    if (part.status !== 206 || !part.bytes.equals(content.subarray(1000, 2000)))
      faults.push(`a part of ${url} got ${part.status}`);
  }
  return faults;
}
