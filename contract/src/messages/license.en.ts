/** Texts of the licence dialog and banner (LIC-001..016). */
export const license = {
  title: 'License',
  expirationLoading: 'Expiration Date Loading...',
  expires: (date: string) => `Expiration date: ${date}`,
  daysLeft: (n: number) => `${n} day(s) left`,
  expiredShort: 'Expired',
  expiresIn: (n: number) => `Your license expires in ${n} day(s)`,
  expired: 'Your license has expired',
  agree: 'Agree',
  cancel: 'Cancel',
} as const;
