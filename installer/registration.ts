/**
 * The control plane's calls for the registration of a box: its name, URLs and domains, its hosting secret and the terms of its
 * licence.
 */
import { toRejectedKey } from './control-plane.ts';
import { requestWithRetries, unavailable, type Warner } from './control-plane-requests.ts';
import { Failure } from './failure.ts';

/** What identifies a box at the control plane. */
export interface RegistrationAccess {
  controlPlaneUrl: string;
  /** The licence key. */
  key: string;
  signal?: AbortSignal | undefined;
  warner?: Warner | undefined;
}

export interface Registration {
  /** Identifies the box among those of the customer. */
  name: string;
  /** Public https URL of the box. */
  backendUrl: string;
  /** Public https URL of the storefront. */
  frontendUrl?: string | undefined;
  domains: readonly string[];
}

/** A domain as the control plane describes it (its schema DomainStatus). */
export interface DomainStatus {
  domain: string;
  state: 'pending' | 'proved' | 'failing';
  provedBy: string | null;
  /** The TXT record that proves it. */
  record: { name: string; type: string; value: string } | null;
  observedRecords: string[];
  expectedNameservers: string[];
  observedNameservers: string[];
  errors: { code: string; detail: string; fix: string }[];
  zone: { state: string; detail: string | null; fix: string | null } | null;
  claimEndsAt: string | null;
  stopsAt: string | null;
}

/** A registered box (BoxStatus). */
export interface RegisteredBox {
  name: string;
  backendUrl: string;
  frontendUrl: string | null;
  backends: { url: string; state: string; addresses: string[]; error: string | null }[];
  domains: DomainStatus[];
}

/** Registers a box, or replaces its URLs and list of domains. @returns the vendor's nameservers @throws Failure usage, like `readBox` */
export async function registerBox(access: RegistrationAccess, registration: Registration): Promise<string[]> {
  const response = await call(access, 'POST', '/boxes/deploy', { key: access.key, ...registration });
  const { nameservers } = (response ?? {}) as { nameservers?: string[] };
  return Array.isArray(nameservers) ? nameservers : [];
}

/**
 * Reads a registered box.
 * @returns undefined if the customer has no box of this name
 * @throws Failure wrong_key, key_not_active, control_plane_unavailable, interrupted
 */
export async function readBox(access: RegistrationAccess, name: string): Promise<RegisteredBox | undefined> {
  const response = await call(access, 'GET', `/boxes/deploy/status?name=${encodeURIComponent(name)}`).catch(ignore404);
  return response === undefined ? undefined : parseBox(response, access.controlPlaneUrl);
}

/** Has the domains of a box checked now. @throws Failure like `readBox` */
export async function verifyDomains(access: RegistrationAccess, name: string): Promise<RegisteredBox> {
  return parseBox(await call(access, 'POST', '/boxes/domains/verify', { name }), access.controlPlaneUrl);
}

/** Gives the box a new hosting secret, and returns it. @throws Failure like `readBox` */
export async function replaceHostingSecret(access: RegistrationAccess, name: string): Promise<string> {
  const response = await call(access, 'POST', '/boxes/hosting-secret', { name });
  const { hostingSecret } = (response ?? {}) as { hostingSecret?: string };
  if (typeof hostingSecret === 'string' && hostingSecret.length >= 16) return hostingSecret;
  throw unavailable(access.controlPlaneUrl, 'no hosting secret in the response');
}

/** The terms of a licence (OwnLicense); members of later versions are ignored. */
export interface LicenseTerms {
  status: string;
  expiresAt: string | null;
  trial: boolean;
  maxBoxes: number | null;
  maxInstallations: number | null;
  /** When a replaced licence is revoked. */
  endsAt: string | null;
}

/** Reads the terms of the licence, whatever its state. @returns undefined if the control plane has no such route yet */
export async function readTerms(access: RegistrationAccess): Promise<LicenseTerms | undefined> {
  const response = (await call(access, 'GET', '/license').catch(ignore404)) as LicenseTerms | undefined;
  return typeof response?.status === 'string' ? response : undefined;
}

async function call(
  { controlPlaneUrl, key, signal, warner }: RegistrationAccess,
  method: string,
  path: string,
  body?: object,
) {
  const url = controlPlaneUrl.replace(/\/+$/, '') + path;
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  return requestWithRetries(url, { method, headers, body: body && JSON.stringify(body) }, toFailure, signal, warner);
}

async function toFailure(response: Response, url: string): Promise<Failure> {
  const problem = await response
    .clone()
    .json()
    .catch(() => ({}));
  const { code: reason, detail, title } = (problem ?? {}) as { code?: string; detail?: string; title?: string };
  const facts = { reason, status: response.status };
  const message = detail ?? title ?? `status ${response.status}`;
  if (response.status === 400) return new Failure('usage', message, 'Correct it and run the command again', facts);
  if (response.status === 409) return new Failure('usage', message, 'Choose another domain, or ask the vendor', facts);
  if (response.status === 404 && reason === 'not_found') return new Failure('usage', message, 'Register it', facts);
  return toRejectedKey(response, url);
}

function ignore404(error: Failure): undefined {
  if (error.facts?.status !== 404) throw error;
}

/** Checks what is used later. */
function parseBox(body: unknown, url: string): RegisteredBox {
  const box = body as RegisteredBox | null;
  const isDomain = (each: Partial<DomainStatus> | null) =>
    typeof each?.domain === 'string' && typeof each.state === 'string' && Array.isArray(each.errors);
  if (typeof box?.backendUrl === 'string' && Array.isArray(box.domains) && box.domains.every(isDomain)) return box;
  throw unavailable(url, 'invalid box in the response');
}
