/**
 * The command line of `deploy`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { vendor } from '../../vendor.ts';
import { isProved } from '../domains/domains.ts';
import { describeDomains } from '../domains/run.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { type DeployResult, deploy } from './deploy.ts';

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
