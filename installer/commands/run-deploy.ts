/**
 * The command lines of `deploy` and `domains`.
 */
import { exitCodes } from '../exit-codes.ts';
import { chooseOutput } from '../output/choose.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';
import { abortOnSignals, runCommand } from './common.ts';
import { type DeployResult, deploy } from './deploy.ts';
import { changeDomains, type DomainStatus, isProved, listDomains, stepsOf, watchDomains } from './domains.ts';

interface Options {
  dir: string;
  json?: boolean;
}

interface DeployCommand extends Options {
  name?: string;
  url?: string;
  storefront?: string;
  domain?: string[];
  newHostingSecret?: boolean;
}

interface StatusCommand extends Options {
  watch?: boolean;
  check?: boolean;
  /** Seconds. */
  every: number;
}

/** Runs `deploy` and sets the exit status. */
export async function runDeploy({ dir, json, storefront, domain, ...options }: DeployCommand): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const given = { ...options, storefrontUrl: storefront, domains: domain };
    const result = await deploy({ dir, ...given, signal: abortOnSignals() }, output);
    for (const { url, state, error } of result.box.backends) {
      if (error) output.warn(`${url}: ${error}`);
      else if (state === 'unresolved') output.warn(`the name of ${url} does not exist in DNS`);
    }
    output.result(result, describeDeployment(result));
    return 0;
  });
}

function describeDeployment({ box, hostingSecret, restartNeeded }: DeployResult): string[] {
  const hosting = {
    set: 'HOSTING_SECRET of the website hosting layer is set',
    due: 'HOSTING_SECRET is still to be set: run the command again',
    unchanged: `HOSTING_SECRET is that of before; ${vendor} deploy --new-hosting-secret replaces it on all boxes of this name`,
  }[hostingSecret];
  return [
    `name       ${box.name}`,
    `box        ${box.backendUrl}`,
    ...(box.frontendUrl ? [`storefront ${box.frontendUrl}`] : []),
    `hosting    ${hosting}`,
    ...(restartNeeded ? [`           The box gets it with ${vendor} restart.`] : []),
    ...(box.domains.length > 0 ? ['', ...describeDomains(box.domains)] : []),
    ...(box.domains.every(isProved) ? [] : ['', `${vendor} domains status --watch follows them until they are right.`]),
  ];
}

/** Runs `domains list` and sets the exit status: 0 only if all are proved. */
export async function runDomainsList({ dir, json }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const domains = await listDomains({ dir, signal: abortOnSignals(), warner: output });
    const width = Math.max(...domains.map(({ domain }) => domain.length), 0);
    return end(
      output,
      domains,
      domains.map(({ domain, state }) => `${domain.padEnd(width)}  ${state}`),
    );
  });
}

/** Runs `domains status` and sets the exit status: 0 only if all are proved. */
export async function runDomainsStatus({ dir, json, watch, check, every }: StatusCommand): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const signal = abortOnSignals();
    if (!watch) {
      const domains = await listDomains({ dir, check, signal, warner: output });
      return end(output, domains, describeDomains(domains));
    }
    const began = Date.now();
    const known = new Map<string, string>();
    const domains = await watchDomains({ dir, signal, seconds: Math.max(every, 1) }, (checked) => {
      for (const domain of checked) reportChange(output, domain, known);
      const missing = checked.filter((each) => !isProved(each)).map(({ domain }) => domain);
      if (missing.length > 0) output.waiting(`waiting for ${missing.join(', ')}`, (Date.now() - began) / 1000);
    });
    return end(output, domains, ['All domains are proved.']);
  });
}

/** Says what is wrong with a domain when that has changed. */
function reportChange(output: Output, domain: DomainStatus, known: Map<string, string>): void {
  const { domain: name, state } = domain;
  const text = [`${name} is ${state}`, ...stepsOf(domain)].join('\n    ');
  if (known.get(name) === text) return;
  known.set(name, text);
  if (isProved(domain)) output.info('proved', text, { domain: name });
  else output.warn(text, { domain: name, state, errors: domain.errors });
}

/** Runs `domains add` and sets the exit status. */
export async function runDomainsAdd(options: Options & { domains: string[] }): Promise<void> {
  await runChange(options, { add: options.domains });
}

/** Runs `domains remove` and sets the exit status. */
export async function runDomainsRemove(options: Options & { domains: string[] }): Promise<void> {
  await runChange(options, { remove: options.domains });
}

async function runChange({ dir, json }: Options, changes: { add?: string[]; remove?: string[] }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const domains = await changeDomains({ dir, signal: abortOnSignals(), warner: output }, changes);
    output.result({ domains }, describeDomains(domains));
    return 0;
  });
}

function end(output: Output, domains: readonly DomainStatus[], lines: string[]): number {
  const exitCode = exitCodes[domains.every(isProved) ? 'ok' : 'domains_not_proved'].status;
  output.result({ domains }, lines.length > 0 ? lines : ['The box has no domains.'], exitCode);
  return exitCode;
}

function describeDomains(domains: readonly DomainStatus[]): string[] {
  return domains.flatMap((domain) => [
    `${domain.domain}  ${domain.state}${domain.provedBy ? ` (${domain.provedBy})` : ''}`,
    ...stepsOf(domain).map((step) => `    ${step}`),
  ]);
}
