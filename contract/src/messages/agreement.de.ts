/** The end-user license agreement in German. */
import type * as english from './agreement.en.ts';
import type { Texts } from './texts.ts';

export const agreement: Texts<typeof english.agreement> = {
  title: 'Software-Kundenvertrag',
  sections: [
    [
      '1. Parteien und Annahme',
      'Dieser Software-Kundenvertrag („Vertrag“) wird zwischen dem Anbieter der CloudFit Software („Anbieter“) und der Organisation geschlossen, die sie installiert oder nutzt („Kunde“). Wer „Zustimmen“ wählt oder die Software nutzt, bestätigt, den Kunden wirksam an diesen Vertrag binden zu können. Ohne diese Befugnis oder ohne Zustimmung zu diesen Bedingungen darf die Software nicht genutzt werden.',
    ],
    [
      '2. Einräumung der Lizenz',
      'Nach Maßgabe dieses Vertrags und für die Laufzeit, die das oben angezeigte Ablaufdatum bestimmt, räumt der Anbieter dem Kunden eine nicht ausschließliche, nicht übertragbare Lizenz ohne Recht zur Unterlizenzierung ein, die Software für den eigenen Betrieb des Kunden und den der Mandanten, die der Kunde betreut, zu installieren und zu nutzen. Agenten der Software dürfen auf jedem Gerät installiert werden, das der Kunde verwaltet.',
    ],
    [
      '3. Beschränkungen',
      'Der Kunde wird die Software nicht verkaufen, vermieten oder verleihen, keine Eigentumshinweise entfernen, die Software nicht nutzen, um Gesetze oder Rechte anderer zu verletzen, und sie nicht zurückentwickeln, soweit das Gesetz dies nicht ungeachtet dieser Klausel erlaubt.',
    ],
    [
      '4. Daten des Kunden',
      'Daten, die der Kunde oder seine Geräte in die Software eingeben, bleiben Eigentum des Kunden. Der Anbieter verwendet sie nur, um vom Kunden angeforderten Support zu leisten. Der Kunde ist für die Rechtmäßigkeit der Daten und für eigene Sicherungskopien verantwortlich.',
    ],
    [
      '5. Vertraulichkeit',
      'Jede Partei hält geheim, was sie von der anderen Partei erhält und was als vertraulich gekennzeichnet oder seiner Natur nach vertraulich ist, verwendet es nur für die Zwecke dieses Vertrags und schützt es mindestens so sorgfältig wie eigene Geheimnisse. Diese Pflichten gelten fünf (5) Jahre ab der Offenlegung. Sie gelten nicht für das, was ohne Verschulden öffentlich ist oder wird, zuvor bekannt war, rechtmäßig von anderen erhalten wird, unabhängig entwickelt wird oder kraft Gesetzes offenzulegen ist.',
    ],
    [
      '6. Support und Updates',
      'Der Anbieter kann Updates bereitstellen. Updates sind Teil der Software und fallen unter diesen Vertrag. Servicelevels gelten nur, soweit die Parteien sie schriftlich vereinbart haben.',
    ],
    [
      '7. Gewährleistung',
      'Der Anbieter gewährleistet, dass die Software neunzig (90) Tage lang ab der ersten Installation im Wesentlichen so arbeitet, wie ihre Dokumentation es beschreibt. Abhilfe ist Nachbesserung, Ersatz oder, wenn beides fehlschlägt, Rückzahlung der für den betroffenen Teil gezahlten Vergütung. Darüber hinaus wird die Software „wie besehen“ bereitgestellt, soweit das Gesetz es zulässt.',
    ],
    [
      '8. Freistellung',
      'Der Anbieter verteidigt den Kunden gegen Ansprüche Dritter, dass die unveränderte, gemäß Dokumentation genutzte Software deren geistiges Eigentum verletze, und zahlt, was rechtskräftig zugesprochen wird, sofern der Kunde ihn unverzüglich benachrichtigt, ihm die Führung der Verteidigung überlässt und angemessen mitwirkt. Der Kunde tut dasselbe bei Ansprüchen, die aus Daten des Kunden oder aus vertragswidriger Nutzung entstehen. Die Obergrenze der Freistellung nach diesem Abschnitt ist noch festzulegen (TBD).',
    ],
    [
      '9. Haftungsbeschränkung',
      'Außer bei Verletzung der Vertraulichkeit, bei den vorstehenden Freistellungen, bei Vorsatz und bei grober Fahrlässigkeit haftet keine Partei für mittelbare Schäden oder Folgeschäden, und die Gesamthaftung jeder Partei ist auf die Vergütung beschränkt, die in den zwölf (12) Monaten vor dem Ereignis gezahlt wurde oder zu zahlen war.',
    ],
    [
      '10. Laufzeit und Beendigung',
      'Die Lizenz endet an ihrem Ablaufdatum, wenn sie nicht verlängert wird. Jede Partei kann diesen Vertrag wegen einer wesentlichen Vertragsverletzung beenden, die nicht innerhalb von dreißig (30) Tagen nach schriftlicher Mitteilung behoben wird. Mit dem Vertrag endet die Nutzung der Software; die Abschnitte 4, 5, 8, 9 und 11 gelten fort.',
    ],
    [
      '11. Allgemeines',
      'Dieser Vertrag ist die vollständige Vereinbarung der Parteien über seinen Gegenstand. Änderungen bedürfen der Schriftform. Ist ein Teil unwirksam, bleibt der Rest bestehen. Keine Partei darf ihn ohne Zustimmung abtreten, außer an den Rechtsnachfolger ihres gesamten Geschäfts. Es gelten Recht und Gerichtsstand am Sitz des Anbieters, soweit zwingendes Recht nichts anderes bestimmt.',
    ],
  ],
};
