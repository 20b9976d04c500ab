/**
 * A real mail server for tests, which stores what it receives. Its behaviour can be set, and it can be away.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type AddressObject, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  messageId: string;
  from: string;
  fromName: string;
  replyTo: string | null;
  to: string;
  subject: string;
  text: string;
  html: string | null;
  /** As received, with all headers. */
  raw: string;
}

/** A response that refuses: the code, and its text. */
export interface Refusal {
  code: number;
  text: string;
}

export interface Behaviour {
  /** Called at `RCPT TO`. */
  recipient?(address: string): Refusal | null;
  /** Called with each mail once it is stored, before the response to the client. */
  stored?(mail: ReceivedMail): Promise<Refusal | null> | Refusal | null;
}

export interface MailServer {
  readonly port: number;
  /** In the order of arrival. */
  readonly mails: ReceivedMail[];
  behaviour: Behaviour;
  /** Settings of a box that uses the server. */
  readonly environment: Record<string, string>;
  /** Stops listening; `start` listens again, at the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a mail server, by default on a free port. */
export async function startMailServer(options: SMTPServerOptions = {}, ownPort = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let running: SMTPServer | null = null;
  let port = ownPort;

  const open = () =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 100,
      ...options,
      onRcptTo({ address }, _, callback) {
        callback(errorOf(server.behaviour.recipient?.(address) ?? null));
      },
      onData(stream, _, callback) {
        const receive = async () => {
          const mail = await parseMail(stream);
          mails.push(mail);
          return errorOf((await server.behaviour.stored?.(mail)) ?? null);
        };
        receive().then(callback, callback);
      },
    });

  const server: MailServer = {
    get port() {
      return port;
    },
    mails,
    behaviour: {},
    get environment() {
      return {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(port),
        SMTP_TLS: 'none',
        MAIL_FROM: 'box@mail.example',
      };
    },
    async start() {
      running = open();
      // Clients that die are part of the tests.
      running.on('error', () => {});
      running.listen(port, '127.0.0.1');
      await once(running.server, 'listening');
      port = (running.server.address() as AddressInfo).port;
    },
    async stop() {
      const stopping = running;
      running = null;
      await new Promise<void>((resolve) => (stopping ? stopping.close(resolve) : resolve()));
    },
  };
  await server.start();
  return server;
}

function errorOf(refusal: Refusal | null): Error | null {
  return refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code });
}

async function parseMail(stream: NodeJS.ReadableStream): Promise<ReceivedMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const { messageId = '', from, replyTo, to, subject = '', text = '', html } = await simpleParser(raw);
  const [sender] = from?.value ?? [];
  return {
    messageId,
    from: sender?.address ?? '',
    fromName: sender?.name ?? '',
    replyTo: replyTo?.value[0]?.address ?? null,
    to: (to as AddressObject | undefined)?.value[0]?.address ?? '',
    subject,
    text,
    html: html === false || html === undefined ? null : html,
    raw: raw.toString('latin1'),
  };
}
