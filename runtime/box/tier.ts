/**
 * The tiers that boxes are sold in; each has the packages of those before it.
 */
export const tiers = ['basic', 'growth', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
