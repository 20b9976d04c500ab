/**
 * A plain Node.js server of one file: `images-peer.ts <path> <media type>`.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

const [path, mediaType] = process.argv.slice(2) as [string, string];
const server = createServer(async (_, response) => {
  const { size, mtimeMs } = await stat(path);
  response.writeHead(200, {
    'Content-Type': mediaType,
    'Content-Length': size,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: `"${size}-${mtimeMs}"`,
  });
  pipeline(createReadStream(path), response, () => {});
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
