/** Texts of the settings panel (SET-001..009). */
export const settings = {
  title: 'Settings',
  appearance: 'Appearance',
  dark: 'Dark mode',
  darkHint: 'Light when off. Applies to every open tab.',
  intake: 'Intake Panel Settings',
  disableDrafts: 'Disable Drafts',
  disableDraftsHint: "Hides Drafts and 'Save as Draft'. Drafts that exist are kept.",
  sortTenants: 'Sort Tenants by Recent/Favorite',
  sortTenantsHint: 'Favorites first, then the tenants used lately, then the others.',
  hideTitle: 'Hide Title Field',
  hideTitleHint: 'The first line of the description becomes the title.',
  kept: 'Kept in this browser only.',
} as const;
