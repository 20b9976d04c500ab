// The one Verdaccio plugin: the gate as an auth plugin (loaded through gate-plugin.cjs).
//
// Why auth and not middleware. Verdaccio mounts the auth plugin's `apiJWTmiddleware` in place of its own user log-in
// and before every route, so no other way in exists beside the gate; and it asks the same plugin's `allow_*` with the
// package name its router decoded, so the gate decides a second time on the very name that is about to be served. A
// middleware plugin would leave Verdaccio's own users and tokens standing. Verdaccio goes on without a plugin it
// could not load; then its configuration grants nothing to anyone, and `startRegistry` fails.
//
// Every refusal is an answer or an error: `false` would hand the question to Verdaccio's default plugin.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate, Grant } from './gate.ts';
import { orRefusal } from './gate.ts';
import type { Log } from './log.ts';
import { publisherOnly, Refusal, sendRefusal } from './refusal.ts';

/** What stands in Verdaccio's configuration under the plugin's name: how `gate-plugin.cjs` comes to the plugin. */
export type GatePluginOptions = { connect: () => GatePlugin };

/** What Verdaccio carries from the middleware to `allow_*`: its user, with the gate's grant. */
type RemoteUser = { name: string; groups: string[]; real_groups: string[]; grant?: Grant };
type GatedRequest = IncomingMessage & { remote_user?: RemoteUser };
type Answer = (error: Error | null, granted?: boolean) => void;

export class GatePlugin {
  readonly #gate: Gate;
  readonly #log: Log;

  constructor(gate: Gate, log: Log) {
    this.#gate = gate;
    this.#log = log;
  }

  /** The middleware in front of all of Verdaccio's routes. */
  apiJWTmiddleware() {
    return async (request: GatedRequest, response: ServerResponse, next: () => void): Promise<void> => {
      const grant = await orRefusal(this.#gate.admit(request, response), this.#log);
      if (grant instanceof Refusal) return sendRefusal(response, grant);
      const name = grant.caller.kind === 'customer' ? grant.caller.licence.customerId : grant.caller.kind;
      request.remote_user = { name, groups: [], real_groups: [], grant };
      next();
    };
  }

  /** Reading a package: the publisher, or the customer to whom the gate granted this very name. */
  allow_access({ grant }: RemoteUser, { name }: { name: string }, answer: Answer): void {
    if (grant?.caller.kind === 'publisher' || (grant !== undefined && grant.packageName === name)) answer(null, true);
    else answer(publisherOnly());
  }

  allow_publish({ grant }: RemoteUser, _package: unknown, answer: Answer): void {
    if (grant?.caller.kind === 'publisher') answer(null, true);
    else answer(publisherOnly());
  }

  allow_unpublish(user: RemoteUser, target: unknown, answer: Answer): void {
    this.allow_publish(user, target, answer);
  }

  /** There are no users with passwords here. */
  authenticate(_user: string, _password: string, answer: Answer): void {
    answer(publisherOnly());
  }

  adduser(_user: string, _password: string, answer: Answer): void {
    answer(publisherOnly());
  }
}
