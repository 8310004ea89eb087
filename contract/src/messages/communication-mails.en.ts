/** Texts of the mails to contacts. */
export const communicationMailTexts = {
  because: (tenant: string) => `You get this mail because you are a contact of ${tenant} for such news.`,
  end: (link: string) => `To end these mails: ${link}`,
  personalLink: 'personal link',
} as const;
