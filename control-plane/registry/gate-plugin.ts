// The gate as an auth plugin of Verdaccio, loaded by gate-plugin.cjs.
//
// It is an auth plugin, not a middleware plugin, for two reasons. Verdaccio runs the auth plugin's `apiJWTmiddleware`
// before every route in place of its own authentication, so the gate cannot be bypassed; a middleware plugin would leave
// Verdaccio's users and tokens enabled. And Verdaccio calls the plugin's `allow_*` with the package name that its router
// decoded, so the gate checks the very name that will be served. Verdaccio continues without a plugin that it could not
// load; its configuration then grants nothing, and `startRegistry` fails.
//
// Denials are responses or errors, never `false`, which would make Verdaccio call its default plugin.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate, Grant } from './gate.ts';
import { callerName, catchRefusal } from './gate.ts';
import type { Log } from './log.ts';
import type { Packuments } from './packages/packuments.ts';
import { publisherOnly, Refusal, sendRefusal } from './refusal.ts';

/** The plugin's options in Verdaccio's configuration: `gate-plugin.cjs` calls `connect` to get the plugin. */
export type GatePluginOptions = { connect: () => GatePlugin };

/** Verdaccio's user, which it passes from the middleware to `allow_*`, with the gate's grant. */
type RemoteUser = { name: string; groups: string[]; real_groups: string[]; grant?: Grant };
type GatedRequest = IncomingMessage & { remote_user?: RemoteUser };
type Callback = (error: Error | null, granted?: boolean) => void;

export class GatePlugin {
  readonly #gate: Gate;
  readonly #packuments: Packuments;
  readonly #log: Log;

  constructor(gate: Gate, packuments: Packuments, log: Log) {
    this.#gate = gate;
    this.#packuments = packuments;
    this.#log = log;
  }

  /** The middleware before all of Verdaccio's routes. */
  apiJWTmiddleware() {
    return async (request: GatedRequest, response: ServerResponse, next: () => void): Promise<void> => {
      const grant = await catchRefusal(this.#gate.authorize(request), this.#log);
      if (grant instanceof Refusal) return sendRefusal(response, grant);
      request.remote_user = { name: callerName(grant), groups: [], real_groups: [], grant };
      next();
    };
  }

  /**
   * Allows the publisher to read a package, and a customer to read the one that the gate granted. The publisher reads what
   * is stored now, also if another registry has changed it: npm's client sends a packument back with its changes.
   */
  allow_access({ grant }: RemoteUser, { name }: { name: string }, callback: Callback): void {
    if (grant?.caller.kind === 'publisher') {
      this.#packuments.read(name, 0).then(
        () => callback(null, true),
        (error: Error) => callback(error),
      );
    } else if (grant !== undefined && grant.packageName === name) callback(null, true);
    else callback(publisherOnly());
  }

  allow_publish({ grant }: RemoteUser, _package: unknown, callback: Callback): void {
    if (grant?.caller.kind === 'publisher') callback(null, true);
    else callback(publisherOnly());
  }

  allow_unpublish(user: RemoteUser, target: unknown, callback: Callback): void {
    this.allow_publish(user, target, callback);
  }

  /** There are no users with passwords. */
  authenticate(_user: string, _password: string, callback: Callback): void {
    callback(publisherOnly());
  }

  adduser(_user: string, _password: string, callback: Callback): void {
    callback(publisherOnly());
  }
}
