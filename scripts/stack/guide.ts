/**
 * What `npm start` prints once everything is ready: addresses, and a command to try for each audience.
 */

interface Stack {
  boxUrl: string;
  controlPlaneUrl: string;
  registryUrl: string;
  tier: string;
  tenant: string;
  staff: { email: string };
}

/** Prints the addresses and a curl command per audience. Secrets are read from the file, not printed. */
export function printGuide(stackFile: string, stack: Stack): void {
  const { boxUrl, controlPlaneUrl, registryUrl, tier, tenant, staff } = stack;
  const secret = (name: string) => `$(node -p "require('${stackFile}').${name}")`;
  console.log(`
The box is ready (${tier}), with the store "${tenant}".

  box             ${boxUrl}        explorer ${boxUrl}/docs
  control plane   ${controlPlaneUrl}        explorer ${controlPlaneUrl}/docs
  registry        ${registryUrl}
  secrets         ${stackFile}   (staff: ${staff.email})

Try it:
  integrator   curl ${boxUrl}/docs/json
  shopper      curl ${boxUrl}/products
  staff        curl -X POST ${boxUrl}/admin/auth/login -H 'content-type: application/json' \\
                 -d "{\\"email\\":\\"${staff.email}\\",\\"password\\":\\"${secret('staff.password')}\\"}"
  operator     curl ${boxUrl}/admin/tenants -H "authorization: Bearer ${secret('operatorSecret')}"
  admin        curl -X POST ${controlPlaneUrl}/license/keys -H "authorization: Bearer ${secret('adminSecret')}" \\
                 -H 'content-type: application/json' -d '{"customerId":"acme","tier":"basic"}'
  partner      curl -X POST ${controlPlaneUrl}/license/activate -H 'content-type: application/json' \\
                 -d "{\\"key\\":\\"${secret('licenseKey')}\\"}"

Ctrl-C stops everything.`);
}
