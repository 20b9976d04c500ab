/**
 * The vendor of the installer's rig: releases of the real packages, each with one more migration than the one before,
 * served through a connection that the rig cuts.
 */
import { createServer, type Server, type Socket, connect as toServer } from 'node:net';
import { join } from 'node:path';
import { type SmallVendor, startSmallVendor } from '../../tools/installs/vendor.ts';
import { buildPackages } from '../../tools/packages/index.ts';
import { repository } from '../../tools/packages/sources.ts';
import { coreWithMigrations } from '../support/next-core.ts';
import type { Stage } from '../support/rig.ts';

export interface RigVendor {
  /** Where the installer reaches it, through the connection. */
  url: string;
  small: SmallVendor;
  line: Line;
  /** How many packages an install on this machine pulls. */
  packages: number;
  /** Releases the next version. */
  releaseNext(): Promise<void>;
}

/** The connection between the installer and the vendor. */
export interface Line {
  /** Cuts it for good once the installer has sent this text, or has received so many bytes of the response to it. */
  cutAt(text: string, bytesOfResponse?: number): void;
  cut(): void;
  /** Holds the first request with this text back. @returns resolves once it has come, with what sends it on */
  holdAt(text: string): Promise<() => void>;
  /** Whether it is cut. */
  readonly isCut: boolean;
  mend(): Promise<void>;
}

/** @param host the address of this machine at which installers reach the vendor */
export async function startRigVendor(stage: Stage, host = '127.0.0.1'): Promise<RigVendor> {
  stage.say('building the packages');
  const built = await buildPackages({ out: join(repository, 'node_modules/.cache/rig-packages') });
  let url = '';
  const small = await startSmallVendor(() => url);
  stage.atEnd('the vendor', () => small.close());
  const { line, port } = await startLine(stage, host, Number(new URL(small.url).port));
  url = `http://${host}:${port}`;
  let number = 0;
  const releaseNext = async () => {
    number += 1;
    const next = await coreWithMigrations(stage.folder, built, number);
    const packages = built.map((each) => (each.name === next.name ? next : each));
    await small.release({ version: `rig-${number}`, packages });
  };
  const platform = `${process.platform}-${process.arch}`;
  const isPulled = ({ name }: { name: string }) => !/-linux-\w+$/.test(name) || name.endsWith(platform);
  return { url, small, line, packages: built.filter(isPulled).length, releaseNext };
}

async function startLine(stage: Stage, host: string, to: number): Promise<{ line: Line; port: number }> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  let isCut = false;
  let at: { text: string; bytes: number } | undefined;
  let hold: { text: string; resolve(release: () => void): void } | undefined;

  const cut = () => {
    isCut = true;
    at = undefined;
    for (const socket of sockets) socket.destroy();
    server?.close();
  };
  const serve = (client: Socket) => {
    const onward = toServer(to, '127.0.0.1');
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let bytesLeft: number | undefined;
    client.on('data', (chunk: Buffer) => {
      if (at && chunk.includes(at.text)) {
        if (at.bytes === 0) return cut();
        bytesLeft = at.bytes;
      }
      if (!hold || !chunk.includes(hold.text)) return onward.write(chunk);
      client.pause();
      hold.resolve(() => {
        onward.write(chunk);
        client.resume();
      });
      hold = undefined;
    });
    onward.on('data', (chunk: Buffer) => {
      const part = bytesLeft === undefined ? chunk : chunk.subarray(0, bytesLeft);
      client.write(part, () => {
        if (bytesLeft === undefined) return;
        bytesLeft -= part.length;
        if (bytesLeft <= 0) cut();
      });
    });
  };
  const open = async () => {
    server = createServer(serve);
    await new Promise<void>((resolve, reject) => {
      server?.once('error', reject).listen(port, host, resolve);
    });
    port = (server.address() as { port: number }).port;
    isCut = false;
  };
  await open();
  stage.atEnd('the connection', cut);
  return {
    port,
    line: {
      cutAt(text, bytes = 0) {
        at = { text, bytes };
      },
      cut,
      holdAt: (text) =>
        new Promise((resolve) => {
          hold = { text, resolve };
        }),
      get isCut() {
        return isCut;
      },
      async mend() {
        at = undefined;
        if (isCut) await open();
      },
    },
  };
}
