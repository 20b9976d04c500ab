/**
 * The tiers of a box; each includes the packages of the tiers before it.
 */
export const tiers = ['basic', 'growth', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];
