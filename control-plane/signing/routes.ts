/**
 * The keys that verify activation tokens, and their rotation.
 */
import { DateTime, object, oneOf, routeFor, Type, vendor } from '@carton/runtime/service';
import type { CommonCallers, CommonServices } from '../services.ts';
import { algorithm, type SigningKeys } from './keys.ts';

const route = routeFor<CommonServices & { signing: SigningKeys }, CommonCallers>();

const tag = 'Signing keys';
/** Short: whoever meets an unknown `kid` asks again, and must not be given an old answer for long. */
const cacheControl = 'public, max-age=30';

const SigningKey = object(
  {
    algorithm: oneOf([algorithm]),
    issuer: Type.String({ description: 'Issuer of activation tokens', examples: [vendor.issuer] }),
    publicKey: Type.String({ description: 'PEM (SPKI)' }),
  },
  { $id: 'SigningKey' },
);

const JsonWebKeySet = object(
  {
    keys: Type.Array(
      object(
        {
          kty: oneOf(['RSA']),
          kid: Type.String(),
          alg: oneOf([algorithm]),
          use: oneOf(['sig']),
          n: Type.String({ description: 'Modulus, base64url' }),
          e: Type.String({ description: 'Exponent, base64url' }),
        },
        { $id: 'JsonWebKey' },
      ),
    ),
  },
  { $id: 'JsonWebKeySet', description: 'RFC 7517' },
);

const SigningKeyRotation = object(
  {
    kid: Type.String({ description: 'Id of the key that signs from now on; it was published before' }),
    signsSince: DateTime,
    nextKid: Type.String({ description: 'Id of the key that is published now and signs after the next rotation' }),
    retired: object({
      kid: Type.String(),
      verifiesUntil: Type.String({ format: 'date-time', description: 'When its last token has expired' }),
    }),
  },
  { $id: 'SigningKeyRotation' },
);

const readSigningKey = route(
  {
    method: 'get',
    path: '/license/jwks',
    operationId: 'readSigningKey',
    tag,
    summary: 'Read the key that verifies tokens given from now on',
    description: 'Tokens name their key by `kid`; `/.well-known/jwks.json` has every key that is still needed.',
    access: 'public',
    status: 200,
    response: SigningKey,
    cacheControl,
  },
  async ({ signing }) => ({
    algorithm: algorithm as typeof algorithm,
    issuer: vendor.issuer,
    publicKey: (await signing.current()).publicKey,
  }),
);

const listSigningKeys = route(
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    operationId: 'listSigningKeys',
    tag,
    summary: 'Read every key that verifies tokens, now or after the next rotation',
    access: 'public',
    status: 200,
    response: JsonWebKeySet,
    cacheControl,
  },
  async ({ signing }) => ({ keys: (await signing.live()) as never }),
);

const rotateSigningKey = route(
  {
    method: 'post',
    path: '/signing-keys/rotate',
    operationId: 'rotateSigningKey',
    tag,
    summary: 'Let the next signing key sign',
    description:
      'The old key signs nothing more, and verifies until the last token it signed has expired. Every key is published before it signs, so nobody meets an unknown one, unless two rotations follow each other within the time for which public keys are kept.',
    access: 'admin',
    status: 201,
    response: SigningKeyRotation,
  },
  ({ signing }) => signing.rotate(),
);

export const signingRoutes = [readSigningKey, listSigningKeys, rotateSigningKey];
