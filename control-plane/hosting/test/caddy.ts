/**
 * Caddy for tests, as a process of its own on loopback with high ports and a private folder, and a client that verifies
 * its certificates.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, missingPrograms, pathOf, temporaryFolder, until } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { pagesFolder } from '../index.ts';

/** Why tests with Caddy are skipped; false if it is installed. */
export const missing = missingPrograms('caddy');

export const configuration = fileURLToPath(new URL('../Caddyfile', import.meta.url));

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface TestCaddy {
  httpPort: number;
  httpsPort: number;
  child: ChildProcess;
  /** The certificate of its own authority, in PEM. */
  authority(): Promise<string>;
  /** Sends a request to a host over TLS, with HTTP/1.1. @throws Error if its certificate is not valid */
  request(host: string, path: string, options?: Sent): Promise<Answer>;
  /** The same without TLS. */
  plain(host: string, path: string): Promise<Answer>;
  /** The same with HTTP/2. */
  request2(host: string, path: string, options?: Sent): Promise<Answer>;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, headers: response.headers, text };
}

/**
 * Sends again if a certificate is not valid yet: it is from the second of its issue, and the time that OpenSSL reads is
 * some milliseconds behind the clock.
 */
async function sendFromItsSecond<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'CERT_NOT_YET_VALID') throw error;
    await setTimeout(1000);
    return send();
  }
}

async function startCaddy(t: Test, file: string, environment: Record<string, string>, folder: string) {
  const child = spawn(pathOf('caddy'), ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`Caddy has exited: ${log}`);
      return log;
    },
    (text) => text.includes('serving initial configuration'),
  );
  return child;
}

/** Starts the proxy of the website hosting layer; it stops with the test. */
export async function startTestCaddy(t: Test, environment: Record<string, string>): Promise<TestCaddy> {
  const folder = await temporaryFolder('caddy-');
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const settings = {
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(httpsPort),
    HTTPS_SUFFIX: `:${httpsPort}`,
    CADDY_STORAGE: folder,
    CADDY_OPTIONS: 'local_certs\nskip_install_trust',
    HOSTING_PAGES: fileURLToPath(pagesFolder),
  };
  const child = await startCaddy(t, configuration, { ...settings, ...environment }, folder);
  const authority = () => readFile(join(folder, 'pki/authorities/local/root.crt'), 'utf8');
  return {
    httpPort,
    httpsPort,
    child,
    authority,
    async request(host, path, { method = 'GET', headers = {}, body } = {}) {
      const options: RequestOptions = {
        host: '127.0.0.1',
        port: httpsPort,
        servername: host,
        ca: await authority(),
        agent: false,
        method,
        path,
        headers: { host, ...headers },
      };
      return sendFromItsSecond(async () => {
        const outgoing = requestHttps(options);
        outgoing.end(body);
        const [response] = await once(outgoing, 'response');
        return answerOf(response);
      });
    },
    async plain(host, path) {
      const outgoing = requestHttp({ host: '127.0.0.1', port: httpPort, path, headers: { host }, agent: false });
      outgoing.end();
      const [response] = await once(outgoing, 'response');
      return answerOf(response);
    },
    async request2(host, path, { method = 'GET', headers = {}, body } = {}) {
      const ca = await authority();
      return sendFromItsSecond(async () => {
        const session = connectHttp2(`https://127.0.0.1:${httpsPort}`, { servername: host, ca });
        try {
          const stream = session.request({ ':method': method, ':path': path, ':authority': host, ...headers });
          const failed = new Promise<never>((_, reject) => session.once('error', reject));
          const answered = once(stream, 'response');
          let text = '';
          // From the start: the stream of a short response may be closed by the next turn.
          stream.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          const ended = once(stream, 'end');
          stream.end(body);
          const [[received]] = await Promise.race([Promise.all([answered, ended]), failed]);
          return { status: received[':status'], headers: received, text };
        } finally {
          session.close();
        }
      });
    },
  };
}

/** Starts another Caddy that ends TLS in front of a box, as partners do. Returns its port and the file of its authority. */
export async function startTlsFront(t: Test, boxUrl: string) {
  const folder = await temporaryFolder('caddy-box-');
  const [httpPort, port] = [await freePort(), await freePort()];
  const file = join(folder, 'Caddyfile');
  await writeFile(
    file,
    `{
      admin off
      http_port ${httpPort}
      https_port ${port}
      storage file_system ${folder}
      local_certs
      skip_install_trust
    }
    https://:${port} {
      tls {
        on_demand
      }
      reverse_proxy ${boxUrl.replace('http://', '')} {
        trusted_proxies private_ranges
      }
    }`,
  );
  await startCaddy(t, file, {}, folder);
  const authorityFile = join(folder, 'pki/authorities/local/root.crt');
  await until(
    () => existsSync(authorityFile),
    (found) => found,
  );
  const certificates = join(folder, 'certificates/local');
  return {
    port,
    authorityFile,
    /** The certificate of a name for which there was a connection, and its key. */
    async certificateOf(name: string) {
      const read = (end: string) => readFile(join(certificates, name, `${name}.${end}`), 'utf8');
      return { cert: await read('crt'), key: await read('key') };
    },
  };
}
