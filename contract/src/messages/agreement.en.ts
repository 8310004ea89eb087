/** The end-user license agreement (LIC-005..007). In a separate file, because only the license dialog loads it. */
export const agreement = {
  title: 'Software Customer Agreement',
  sections: [
    [
      '1. Parties and acceptance',
      'This Software Customer Agreement ("Agreement") is made between the provider of CloudFit Software ("Provider") and the organization that installs or uses it ("Customer"). By choosing Agree, or by using the Software, the person acting for Customer confirms the authority to bind Customer to this Agreement. Without that authority, or without agreement to these terms, the Software may not be used.',
    ],
    [
      '2. Grant of license',
      'Subject to this Agreement and for the term shown by the expiration date above, Provider grants Customer a non-exclusive, non-transferable license, without the right to sublicense, to install and use the Software for the internal operations of Customer and of the tenants that Customer serves. Agents of the Software may be installed on every device that Customer manages.',
    ],
    [
      '3. Restrictions',
      'Customer will not sell, rent or lend the Software; remove notices of ownership; use the Software to break the law or the rights of others; or, except where the law allows it regardless of this clause, reverse engineer it.',
    ],
    [
      '4. Customer data',
      'Data that Customer or its devices put into the Software remain the property of Customer. Provider uses them only to provide support that Customer asked for. Customer is responsible for the lawfulness of the data and for keeping its own backups.',
    ],
    [
      '5. Confidentiality',
      'Each party keeps secret what it receives from the other party and what is marked confidential or is confidential by its nature, uses it only for the purposes of this Agreement, and protects it with at least the care it takes of its own secrets. These duties last for five (5) years from disclosure. They do not cover what is or becomes public without fault, was known before, is received lawfully from others, is developed independently, or must be disclosed by law.',
    ],
    [
      '6. Support and updates',
      'Provider may supply updates. Updates are part of the Software and fall under this Agreement. Service levels apply only where the parties agreed on them in writing.',
    ],
    [
      '7. Warranty',
      'Provider warrants that the Software will, for ninety (90) days from first installation, perform materially as its documentation describes. The remedy is repair, replacement or, failing both, return of the fees paid for the affected part. Beyond that the Software is provided "as is", to the extent the law permits.',
    ],
    [
      '8. Indemnity',
      'Provider will defend Customer against claims of third parties that the unmodified Software, used as documented, infringes their intellectual property, and will pay what is finally awarded, provided that Customer gives prompt notice, control of the defence and reasonable help. Customer will do the same for claims that arise from Customer data or from use against this Agreement. The cap on indemnity under this section is TBD.',
    ],
    [
      '9. Limitation of liability',
      'Except for breach of confidentiality, the indemnities above, intent and gross negligence, neither party is liable for indirect or consequential damage, and the total liability of each party is limited to the fees paid or payable in the twelve (12) months before the event.',
    ],
    [
      '10. Term and termination',
      'The license ends on its expiration date unless renewed. Either party may end this Agreement for a material breach that is not cured within thirty (30) days of written notice. When the Agreement ends, use of the Software ends, and sections 4, 5, 8, 9 and 11 live on.',
    ],
    [
      '11. General',
      'This Agreement is the whole agreement of the parties on its subject. Changes need writing. If a part is invalid, the rest stands. Neither party may assign it without consent, except to a successor of its whole business. The law and courts of the seat of Provider apply, except where mandatory law says otherwise.',
    ],
  ],
} as const;
