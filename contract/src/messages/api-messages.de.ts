/** The German of messages of the API, by the English ones: those that `contract/src` writes, and the forms that have values in them. */
import type { ShownError } from './api-texts.en.ts';
import { labels } from './labels.de.ts';
import { serverForms, serverMessages } from './server-messages.de.ts';

export const germanMessages: Readonly<Record<string, string>> = {
  'A Decision Note is at most 4000 characters.': 'Eine Begründung hat höchstens 4000 Zeichen.',
  'A Maintenance rule opens no matches, so it cannot have recovery conditions.':
    'Eine Wartungsregel öffnet keine Treffer, deshalb kann sie keine Erholungsbedingungen haben.',
  'A campaign has at most 10 rings.': 'Eine Kampagne hat höchstens 10 Ringe.',
  'A custom field needs a name.': 'Ein eigenes Feld braucht einen Namen.',
  'A frequency is 1, 2 or 3.': 'Eine Häufigkeit ist 1, 2 oder 3.',
  'A gate or a pause needs rings. Send rings, or leave both out.':
    'Eine Schwelle oder eine Pause braucht Ringe. Geben Sie Ringe an, oder lassen Sie beides weg.',
  'A group has at least one tenant.': 'Eine Gruppe hat mindestens einen Mandanten.',
  'A group has at most 5000 tenants.': 'Eine Gruppe hat höchstens 5000 Mandanten.',
  'A holiday is a date such as 2026-12-25.': 'Ein Feiertag ist ein Datum wie 2026-12-25.',
  'A label is at most 200 characters.': 'Eine Bezeichnung hat höchstens 200 Zeichen.',
  'A licence is shorter than this file.': 'Eine Lizenz ist kürzer als diese Datei.',
  'A mail domain is what follows the @ of addresses, in small letters, such as example.com.':
    'Eine Mail-Domäne ist das, was in Adressen auf das @ folgt, in Kleinbuchstaben, zum Beispiel example.com.',
  'A name has at most 200 characters.': 'Ein Name hat höchstens 200 Zeichen.',
  'A note is at most 10000 characters.': 'Eine Notiz hat höchstens 10000 Zeichen.',
  'A note is at most 2000 characters.': 'Eine Notiz hat höchstens 2000 Zeichen.',
  'A pause is at most 10,080 minutes, which are 7 days.': 'Eine Pause dauert höchstens 10.080 Minuten, das sind 7 Tage.',
  'A phone number is written like +4915112345678.': 'Eine Telefonnummer schreibt man wie +4915112345678.',
  'A policy has at most 100 operations.': 'Eine Richtlinie hat höchstens 100 Aufgaben.',
  'A policy has at most 50 packages.': 'Eine Richtlinie hat höchstens 50 Softwarepakete.',
  'A public key of Ed25519 has 32 bytes in base64url.': 'Ein öffentlicher Schlüssel von Ed25519 hat 32 Bytes in Base64url.',
  'A reason is at most 1000 characters.': 'Ein Grund hat höchstens 1000 Zeichen.',
  'A reference type is one word, as RuleMatch or Device.': 'Eine Art des Verweises ist ein Wort, wie RuleMatch oder Device.',
  'A report of an installed version must name the wanted version as installed.':
    'Eine Meldung einer installierten Version muss die gewünschte Version als installiert nennen.',
  'A searched text has at most 500 characters.': 'Ein gesuchter Text hat höchstens 500 Zeichen.',
  'A secret names at most 100 actions.': 'Ein Geheimnis nennt höchstens 100 Aktionen.',
  'A secret needs a name of letters, digits, dots, dashes and underscores.':
    'Ein Geheimnis braucht einen Namen aus Buchstaben, Ziffern, Punkten, Bindestrichen und Unterstrichen.',
  'A secret needs a name.': 'Ein Geheimnis braucht einen Namen.',
  'A secret needs a value.': 'Ein Geheimnis braucht einen Wert.',
  'A share is more than 0 and less than 100 percent.': 'Ein Anteil ist größer als 0 und kleiner als 100 Prozent.',
  'A step is for at least one severity.': 'Ein Schritt gilt für mindestens einen Schweregrad.',
  'A step repeats at most once a minute.': 'Ein Schritt wiederholt sich höchstens einmal in der Minute.',
  'A step that repeats needs a wait. Set Wait; 00:00:00 stands for at once.':
    'Ein Schritt, der sich wiederholt, braucht eine Wartezeit. Setzen Sie sie; 00:00:00 steht für sofort.',
  'A step waits at most 30 days.': 'Ein Schritt wartet höchstens 30 Tage.',
  'A tag has neither comma nor semicolon.': 'Ein Tag enthält weder Komma noch Semikolon.',
  'A target device is required.': 'Ein Zielgerät ist erforderlich.',
  'A template gives at most 500 grants.': 'Eine Vorlage vergibt höchstens 500 Berechtigungen.',
  'A template makes at most 50 tokens.': 'Eine Vorlage erstellt höchstens 50 Tokens.',
  'A time is written like 08:00.': 'Eine Uhrzeit schreibt man wie 08:00.',
  'A timezone is required.': 'Eine Zeitzone ist erforderlich.',
  'A link is limited to at most 20 networks.': 'Ein Link wird auf höchstens 20 Netze beschränkt.',
  'A token is limited to at most 20 networks.': 'Ein Token wird auf höchstens 20 Netze beschränkt.',
  'A value is text, or a list of secured values.': 'Ein Wert ist ein Text oder eine Liste gesicherter Werte.',
  'A day of the week is a number from 0 for Sunday to 6, or null for every day.':
    'Ein Wochentag ist eine Zahl von 0 für Sonntag bis 6, oder null für jeden Tag.',
  'A value is text.': 'Ein Wert ist ein Text.',
  'Address must start with http:// or https://.': 'Die Adresse muss mit http:// oder https:// beginnen.',
  'An hour is a whole number from 0 to 23.': 'Eine Stunde ist eine ganze Zahl von 0 bis 23.',
  'A wait is a whole number of minutes.': 'Eine Wartezeit ist eine ganze Zahl von Minuten.',
  'A wait is at least 0 minutes.': 'Eine Wartezeit dauert mindestens 0 Minuten.',
  'A wait is at most 1440 minutes.': 'Eine Wartezeit dauert höchstens 1440 Minuten.',
  'Acknowledgement is required.': 'Die Zustimmung ist erforderlich.',
  'An operation needs a label.': 'Eine Aufgabe braucht eine Bezeichnung.',
  'At least one day should be selected when using a Maintenance rule.': 'Für eine Wartungsregel sollte mindestens ein Tag ausgewählt sein.',
  'At least one operation is required.': 'Mindestens eine Aufgabe ist erforderlich.',
  'At most 100 articles at a time.': 'Höchstens 100 Artikel auf einmal.',
  'At most 50 people are invited at once.': 'Höchstens 50 Personen werden auf einmal eingeladen.',
  'At most 500 characters.': 'Höchstens 500 Zeichen.',
  'At most 500 policies are put in order at once.': 'Höchstens 500 Richtlinien werden auf einmal geordnet.',
  'Choose at least two rules.': 'Wählen Sie mindestens zwei Regeln.',
  'Join at most 500 rules at once.': 'Verbinden Sie höchstens 500 Regeln auf einmal.',
  'Choose at least one file.': 'Wählen Sie mindestens eine Datei.',
  'Label is at most 200 characters.': 'Eine Bezeichnung hat höchstens 200 Zeichen.',
  'Label is required.': 'Eine Bezeichnung fehlt.',
  'Mail domains are a list of texts.': 'Mail-Domänen sind eine Liste von Texten.',
  'Email is required.': 'Eine E-Mail-Adresse ist erforderlich.',
  'Name is required.': 'Ein Name ist erforderlich.',
  'Only a feed of work units is of a view.': 'Nur ein Feed von Vorgängen gehört zu einer Ansicht.',
  'Operator is a number.': 'Der Operator ist eine Zahl.',
  'Please choose the tenants of the group.': 'Bitte wählen Sie die Mandanten der Gruppe.',
  'Please enter a short name of small letters, digits and hyphens, such as contoso.':
    'Bitte geben Sie einen kurzen Namen aus Kleinbuchstaben, Ziffern und Bindestrichen ein, zum Beispiel contoso.',
  'Please enter a title.': 'Bitte geben Sie einen Titel ein.',
  'Please enter one mail address, such as name@example.com.': 'Bitte geben Sie eine Mailadresse ein, zum Beispiel name@example.com.',
  'Please enter the address at which the provider gives tokens, beginning with https://.':
    'Bitte geben Sie die Adresse ein, an der der Anbieter Tokens ausstellt. Sie beginnt mit https://.',
  'Please enter the address of the provider, as it stands in the field issuer of its discovery document.':
    'Bitte geben Sie die Adresse des Anbieters ein, wie sie im Feld issuer seines Discovery-Dokuments steht.',
  'Please enter the address of the server, such as ldaps://dc1.example.com.':
    'Bitte geben Sie die Adresse des Servers ein, zum Beispiel ldaps://dc1.example.com.',
  'Please enter the secret.': 'Bitte geben Sie das Geheimnis ein.',
  'Please name at least one receiver.': 'Bitte geben Sie mindestens einen Empfänger an.',
  'Please say whether you want mails.': 'Bitte geben Sie an, ob Sie Mails möchten.',
  'Please say which devices it has, such as enabled eq true.': 'Bitte geben Sie an, welche Geräte dazugehören, etwa enabled eq true.',
  'Please say why the rule is otherwise here.': 'Bitte geben Sie an, warum die Regel hier anders ist.',
  'Please write the text.': 'Bitte schreiben Sie den Text.',
  'Please enter the address to which people write, such as support@example.com.':
    'Bitte geben Sie die Adresse ein, an die geschrieben wird, wie support@example.com.',
  'Please enter the name of the IMAP server alone, such as imap.example.com.':
    'Bitte geben Sie nur den Namen des IMAP-Servers ein, wie imap.example.com.',
  'Please enter the id of the channel, of 26 characters.': 'Bitte geben Sie die ID des Kanals mit ihren 26 Zeichen ein.',
  'Please enter the id of the channel, such as C024BE91L.': 'Bitte geben Sie die ID des Kanals ein, zum Beispiel C024BE91L.',
  'Please enter the key of the project, such as OPS.': 'Bitte geben Sie den Schlüssel des Projekts ein, zum Beispiel OPS.',
  'Please enter the name of the table, such as incident.': 'Bitte geben Sie den Namen der Tabelle ein, zum Beispiel incident.',
  'Please enter the repository as owner/name.': 'Bitte geben Sie das Repository als Besitzer/Name ein.',
  'Please enter the name of a secret of the tenant.': 'Bitte geben Sie den Namen eines Geheimnisses des Mandanten ein.',
  'Please enter the first name in Authentication-Results.': 'Bitte geben Sie den ersten Namen in Authentication-Results ein.',
  'Please choose what sends.': 'Bitte wählen Sie, was sendet.',
  'Please choose who may read it.': 'Bitte wählen Sie, wer es lesen darf.',
  'Please choose a state.': 'Bitte wählen Sie einen Zustand.',
  'At most 100 maintenances in one call.': 'Höchstens 100 Wartungen in einem Aufruf.',
  'At most 100 work units at a time.': 'Höchstens 100 Vorgänge auf einmal.',
  'At most 1000 devices in one call.': 'Höchstens 1000 Geräte in einem Aufruf.',
  'At most 200 steps.': 'Höchstens 200 Schritte.',
  'At most 320 characters.': 'Höchstens 320 Zeichen.',
  'At most 4000 characters.': 'Höchstens 4000 Zeichen.',
  'At most 50 states.': 'Höchstens 50 Zustände.',
  'At most 500 entities in one call.': 'Höchstens 500 Objekte in einem Aufruf.',
  'At most 60 characters.': 'Höchstens 60 Zeichen.',
  'Back-references are not supported in patterns.': 'Rückverweise werden in Mustern nicht unterstützt.',
  'Choose at least one channel.': 'Wählen Sie mindestens einen Kanal.',
  'Choose at least one day.': 'Wählen Sie mindestens einen Tag.',
  'Condtions are required for rules.': 'Regeln brauchen Bedingungen.',
  'Enter a time from 00:01:00 to 30 days.': 'Geben Sie eine Zeit von 00:01:00 bis 30 Tagen ein.',
  'Interval is required': 'Ein Intervall ist erforderlich',
  'Lifetime is required': 'Eine Lebensdauer ist erforderlich',
  'Look-ahead and look-behind are not supported in patterns.': 'Vorausschau und Rückschau werden in Mustern nicht unterstützt.',
  'One invitation gives at most 50 further permission sets.': 'Eine Einladung vergibt höchstens 50 weitere Berechtigungssätze.',
  'Lookup key is required.': 'Ein Suchschlüssel ist erforderlich.',
  'Must be at least 1 minute.': 'Muss mindestens 1 Minute sein.',
  'Must be at least 5 minutes.': 'Muss mindestens 5 Minuten sein.',
  'Must be at most 24 hours.': 'Darf höchstens 24 Stunden sein.',
  'Must be at most 7 days.': 'Darf höchstens 7 Tage sein.',
  'Name at least one ring before the last.': 'Nennen Sie mindestens einen Ring vor dem letzten.',
  'Name at least one work unit.': 'Nennen Sie mindestens einen Vorgang.',
  'Name at most 1,000 tenants.': 'Nennen Sie höchstens 1.000 Mandanten.',
  'Send the token of the link.': 'Senden Sie das Token des Links.',
  'Networks are a list of texts.': 'Netze sind eine Liste von Texten.',
  'No WUCOMM Id was provided.': 'Es wurde keine WUCOMM-ID angegeben.',
  'Only a step that runs automatically can repeat.': 'Nur ein Schritt, der automatisch läuft, kann sich wiederholen.',
  'Only version 1 of configurations can be read.': 'Nur Version 1 von Konfigurationen kann gelesen werden.',
  'Placeholder is required.': 'Ein Platzhalter ist erforderlich.',
  'Please ask for a series.': 'Bitte fragen Sie nach einer Messreihe.',
  'Please choose a severity.': 'Bitte wählen Sie einen Schweregrad.',
  'Please choose a work unit type.': 'Bitte wählen Sie einen Vorgangstyp.',
  'Please enter a Decision Note.': 'Bitte geben Sie eine Begründung ein.',
  'Please enter a duration as hh:mm:ss.': 'Bitte geben Sie eine Dauer als hh:mm:ss ein.',
  'Please enter a note.': 'Bitte geben Sie eine Notiz ein.',
  'Please enter a number.': 'Bitte geben Sie eine Zahl ein.',
  'Please enter a reason.': 'Bitte geben Sie einen Grund ein.',
  'Please enter a rule name': 'Bitte geben Sie einen Namen der Regel ein',
  'Please enter a single character.': 'Bitte geben Sie ein einzelnes Zeichen ein.',
  'Please enter a valid GUID.': 'Bitte geben Sie eine gültige GUID ein.',
  'Please enter a valid date': 'Bitte geben Sie ein gültiges Datum ein',
  'Please enter a valid email address.': 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
  'Please enter a value.': 'Bitte geben Sie einen Wert ein.',
  'Please enter an address that starts with http.': 'Bitte geben Sie eine Adresse ein, die mit http beginnt.',
  'Please enter how many standard deviations, more than 0.': 'Bitte geben Sie ein, wie viele Standardabweichungen, mehr als 0.',
  'Please enter one email address.': 'Bitte geben Sie eine E-Mail-Adresse ein.',
  'Please enter one mail address.': 'Bitte geben Sie eine Mailadresse ein.',
  'Please enter the Timer Interval as hh:mm:ss.': 'Bitte geben Sie das Intervall des Timers als hh:mm:ss ein.',
  'Please enter the name of a person, without an address.': 'Bitte geben Sie den Namen einer Person ein, ohne Adresse.',
  'Please enter the text of the note.': 'Bitte geben Sie den Text der Notiz ein.',
  'Please enter the title': 'Bitte geben Sie den Titel ein',
  'Please enter the title that the public reads.': 'Bitte geben Sie den Titel ein, den die Öffentlichkeit liest.',
  'Please give one of entityId, entityIds and filter.': 'Bitte geben Sie entityId, entityIds oder filter an.',
  'Please name a metric.': 'Bitte nennen Sie eine Metrik.',
  'Please name at least one item.': 'Bitte nennen Sie mindestens einen Eintrag.',
  'Please name at least one list.': 'Bitte nennen Sie mindestens eine Liste.',
  'Please name the work units.': 'Bitte nennen Sie die Vorgänge.',
  'Please say why, such as "End of the year".': 'Bitte sagen Sie, warum, zum Beispiel „Jahresende“.',
  'Please say why.': 'Bitte sagen Sie, warum.',
  'Please select a Rule Type': 'Bitte wählen Sie einen Regeltyp',
  'Please select at least one Device.': 'Bitte wählen Sie mindestens ein Gerät.',
  'Please select at least one device.': 'Bitte wählen Sie mindestens ein Gerät.',
  'Please select fewer than 25 Devices.': 'Bitte wählen Sie weniger als 25 Geräte.',
  'Please select what to compare with.': 'Bitte wählen Sie, womit verglichen wird.',
  'Please write what customers should know.': 'Bitte schreiben Sie, was Kunden wissen sollen.',
  'Please write your message.': 'Bitte schreiben Sie Ihre Nachricht.',
  'Reason is required.': 'Ein Grund ist erforderlich.',
  'Reference URL must start with http:// or https://.': 'Die Adresse des Verweises muss mit http:// oder https:// beginnen.',
  'Say either eventDeliveryIds, or from which time.': 'Geben Sie entweder eventDeliveryIds an, oder ab welcher Zeit.',
  'Scopes are a list.': 'Bereiche sind eine Liste.',
  'Send a filter.': 'Geben Sie einen Filter an.',
  'Send a list of ids.': 'Senden Sie eine Liste von IDs.',
  'Send a list of packages.': 'Senden Sie eine Liste von Paketen.',
  'Send a location or a subscription.': 'Geben Sie einen Standort oder ein Abonnement an.',
  'Send a time such as 2027-01-31T00:00:00Z.': 'Geben Sie einen Zeitpunkt wie 2027-01-31T00:00:00Z an.',
  'Send either deviceIds or filter.': 'Geben Sie entweder deviceIds oder filter an.',
  'Send for how many minutes the devices are traced.': 'Geben Sie an, wie viele Minuten die Geräte verfolgt werden.',
  'Send rings. To change the policy at once, save it instead.':
    'Geben Sie Ringe an. Um die Richtlinie sofort zu ändern, speichern Sie sie stattdessen.',
  'Send rings. To change the rule for all devices at once, save the rule instead.':
    'Geben Sie Ringe an. Um die Regel sofort für alle Geräte zu ändern, speichern Sie stattdessen die Regel.',
  'Send tags to add or to remove.': 'Geben Sie Tags an, die hinzukommen oder wegfallen.',
  'Send the fields of the policy.': 'Geben Sie die Felder der Richtlinie an.',
  'Send the new version of the rule.': 'Geben Sie die neue Fassung der Regel an.',
  'Send the number of the current ring.': 'Geben Sie die Nummer des aktuellen Rings an.',
  'Send the operation to run.': 'Geben Sie die Aufgabe an, die laufen soll.',
  'Send the operations to copy.': 'Geben Sie die Aufgaben an, die kopiert werden.',
  'Send the package to remove.': 'Geben Sie das Paket an, das entfernt wird.',
  'Send the policies in their new order, at least two of them.': 'Senden Sie die Richtlinien in ihrer neuen Reihenfolge, mindestens zwei.',
  'Send the policies in their new order.': 'Senden Sie die Richtlinien in ihrer neuen Reihenfolge.',
  'Send the version to install.': 'Geben Sie die Version an, die installiert wird.',
  'Set how often the step repeats at most.': 'Legen Sie fest, wie oft sich der Schritt höchstens wiederholt.',
  'Set the time after which the step repeats.': 'Legen Sie die Zeit fest, nach der sich der Schritt wiederholt.',
  'Tenants are a list of their keys.': 'Mandanten sind eine Liste ihrer Schlüssel.',
  'The address has 3 to 60 lower-case letters, digits and hyphens.': 'Die Adresse hat 3 bis 60 Kleinbuchstaben, Ziffern und Bindestriche.',
  'The address must begin with http:// or https://.': 'Die Adresse muss mit http:// oder https:// beginnen.',
  'The client_assertion is missing.': 'Die client_assertion fehlt.',
  'The content is an object with a document.': 'Der Inhalt ist ein Objekt mit einem Dokument.',
  'The content of the file must be Base64.': 'Der Inhalt der Datei muss Base64 sein.',
  'The content of the photo must be Base64.': 'Der Inhalt des Fotos muss Base64 sein.',
  'The end must be after the start.': 'Das Ende muss nach dem Anfang liegen.',
  'The end of a layer is a local date and time such as 2026-05-04T09:00.':
    'Das Ende einer Ebene ist Datum und Uhrzeit am Ort wie 2026-05-04T09:00.',
  'The end of a layer is not a valid date.': 'Das Ende einer Ebene ist kein gültiges Datum.',
  'The factor must be a number.': 'Der Faktor muss eine Zahl sein.',
  'The grant_type is client_credentials.': 'Der grant_type ist client_credentials.',
  'The hosts of a secret are at most 2000 characters.': 'Die Hosts eines Geheimnisses haben höchstens 2000 Zeichen.',
  'The hour is from 0 to 23.': 'Die Stunde liegt zwischen 0 und 23.',
  'The id of a tile has 1 to 40 letters, digits, _ or -.': 'Die ID einer Kachel hat 1 bis 40 Buchstaben, Ziffern, _ oder -.',
  'The length of a turn is a whole number.': 'Die Länge eines Turnus ist eine ganze Zahl.',
  'The name is required.': 'Der Name ist erforderlich.',
  'The name of a secret is at most 100 characters.': 'Der Name eines Geheimnisses hat höchstens 100 Zeichen.',
  'The rows of a resource are a list.': 'Die Zeilen einer Ressource sind eine Liste.',
  'The share of a ring includes the rings before it, so it must be larger than the share of the ring before.':
    'Der Anteil eines Rings schließt die Ringe davor ein, deshalb muss er größer als der des Rings davor sein.',
  'The start of a layer is a local date and time such as 2026-05-04T09:00.':
    'Der Anfang einer Ebene ist ein örtliches Datum mit Uhrzeit, wie 2026-05-04T09:00.',
  'The start of a layer is not a valid date.': 'Der Beginn einer Ebene ist kein gültiges Datum.',
  'The target device must differ from the source device.': 'Das Zielgerät muss ein anderes als das Quellgerät sein.',
  'The type of a custom field is 1 Textbox or 2 Dropdown.': 'Der Typ eines eigenen Feldes ist 1 Textfeld oder 2 Auswahlliste.',
  'The version is latest or a number.': 'Die Version ist latest oder eine Zahl.',
  'There are approvers 1 and 2.': 'Es gibt die Genehmiger 1 und 2.',
  'There are at most 10 steps.': 'Es gibt höchstens 10 Schritte.',
  'There are at most 20 quiet hours.': 'Es gibt höchstens 20 Ruhezeiten.',
  'There are at most 200 files. Put answers of the same kind into one list.':
    'Es sind höchstens 200 Dateien. Fassen Sie Antworten derselben Art in einer Liste zusammen.',
  'This field is required.': 'Dieses Feld ist erforderlich.',
  'This is not a CloudFit configuration.': 'Das ist keine Konfiguration von CloudFit.',
  'This view has too many filters.': 'Diese Ansicht hat zu viele Filter.',
  'Time limitations are required for Maintenance rules.': 'Wartungsregeln brauchen zeitliche Einschränkungen.',
  'Title is at most 200 characters.': 'Der Titel hat höchstens 200 Zeichen.',
  'Trace minutes is a number.': 'Die Minuten der Verfolgung sind eine Zahl.',
  'Values are texts by name.': 'Werte sind Texte nach Namen.',
  'Views cannot be saved of this list.': 'Von dieser Liste können keine Ansichten gespeichert werden.',
  'Write statuses from 100 to 599 and ranges, separated by commas: 200-204, 409.':
    'Schreiben Sie Status von 100 bis 599 und Bereiche, durch Kommas getrennt: 200-204, 409.',
  'Write the field of the answer that has the ID of the reference too, such as key.':
    'Geben Sie auch das Feld der Antwort an, das die ID der Referenz enthält, etwa key.',
  'Write the name of the field of the answer that has this value, such as ok.':
    'Schreiben Sie den Namen des Feldes der Antwort, das diesen Wert hat, zum Beispiel ok.',
  'Write the value that the field has when the receiver accepts the call, such as true.':
    'Schreiben Sie den Wert, den das Feld hat, wenn der Empfänger den Aufruf annimmt, zum Beispiel true.',
  'You do not have access to this.': 'Sie haben darauf keinen Zugriff.',
  'Is required.': 'Ist erforderlich.',
  'Does not have the right form.': 'Hat nicht die richtige Form.',
  'Has none of the forms that are possible here.': 'Hat keine der Formen, die hier möglich sind.',
};

const kinds: Readonly<Record<string, string>> = {
  text: 'ein Text',
  'a number': 'eine Zahl',
  'a whole number': 'eine ganze Zahl',
  'true or false': 'true oder false',
  'a list': 'eine Liste',
  'an object': 'ein Objekt',
  'a time': 'eine Zeit',
  'a time such as 2026-01-31T12:00:00Z': 'eine Zeit wie 2026-01-31T12:00:00Z',
  'a date such as 2026-01-31': 'ein Datum wie 2026-01-31',
  'a time of day such as 12:00:00': 'eine Uhrzeit wie 12:00:00',
  'a GUID': 'eine GUID',
  'an e-mail address': 'eine E-Mail-Adresse',
  'an address that starts with http': 'eine Adresse, die mit http beginnt',
};

const units: Readonly<Record<string, string>> = { character: 'Zeichen', characters: 'Zeichen', item: 'Eintrag', items: 'Einträge' };
const amount = (word: string) => (word === 'at most' ? 'höchstens' : 'mindestens');

/** Messages with values in them, as `plain-issues.ts` and `notFound` write them; a message that names its field begins with that. */
const forms: readonly (readonly [RegExp, (...values: string[]) => string])[] = [
  [/^(.+) is required\.$/, (field) => `${field} ist erforderlich.`],
  [
    /^(?:(.+) m|M)ust have (at most|at least) (\d+) (characters?|items?)\.$/,
    (field, word, n, unit) => of(field, `${amount(word ?? '')} ${n} ${units[unit ?? '']} haben.`),
  ],
  [/^(?:(.+) m|M)ust be (at most|at least) (-?\d+)\.$/, (field, word, n) => of(field, `${amount(word ?? '')} ${n} sein.`)],
  [/^(?:(.+) m|M)ust be a multiple of (.+)\.$/, (field, n) => of(field, `ein Vielfaches von ${n} sein.`)],
  [/^(?:(.+) m|M)ust be one of (.+)\.$/, (field, list) => of(field, `eines von ${list} sein.`)],
  [/^(?:(.+) m|M)ust be (.+)\.$/, (field, what) => of(field, `${kinds[what ?? ''] ?? what} sein.`)],
  [/^There is no (.+) here\.$/, (what) => `Hier gibt es kein ${what}.`],
  [/^(.+) was not found\.$/, (what) => `${what} wurde nicht gefunden.`],
];

const of = (field: string | undefined, rest: string): string => `${field === undefined || field === '' ? 'Muss' : `${field} muss`} ${rest}`;

const germanLabels = new Map(Object.entries(labels).map(([english, german]) => [english.toLowerCase(), german]));

/** A value of a message: the label of a field or an entity, another message, or what it is. */
const valueOf = (value: string): string => germanLabels.get(value.toLowerCase()) ?? (/ .*\.$/.test(value) ? germanOf(value) : value);

/** Labels begin with a capital letter; names of properties and kinds of values do not. */
const isLabel = /^[A-Z]/;

/** The forms of the server, those with the most words first, so that a general one does not take the place of a special one. */
const formsOfServer = Object.entries(serverForms)
  .toSorted(([one], [other]) => other.length - one.length)
  .map(([english, german]) => {
    const names: string[] = [];
    const pattern = english.replaceAll(/[.*+?^$()|[\]\\]|\{(\d+)\}/g, (match, name: string | undefined) => {
      if (name === undefined) return `\\${match}`;
      names.push(name);
      return '(.*?)';
    });
    return { pattern: new RegExp(`^${pattern}$`, 's'), names, german };
  });

function germanOfServer(message: string): string | undefined {
  for (const { pattern, names, german } of formsOfServer) {
    const values = pattern.exec(message)?.slice(1);
    if (values)
      return german.replaceAll(/\{(\d+)\}/g, (whole, name: string) =>
        names.includes(name) ? valueOf(values[names.indexOf(name)] ?? '') : whole,
      );
  }
  return undefined;
}

/** Returns the German of a message; a message that is not known here stays in English. */
export function germanOf(message: string): string {
  const fixed = germanMessages[message] ?? serverMessages[message] ?? germanOfServer(message);
  if (fixed !== undefined) return fixed;
  for (const [pattern, write] of forms) {
    const values = pattern.exec(message);
    if (values) return write(...values.slice(1).map((value) => (isLabel.test(value) ? valueOf(value) : value)));
  }
  // A message with its place, such as that of a row in an imported file.
  const [, place = '', rest = ''] = /^([^:\n]{1,120}): (.+)$/s.exec(message) ?? [];
  const german = rest === '' ? rest : germanOf(rest);
  return german === rest ? message : `${place}: ${german}`;
}

const spoken = <T extends { message?: string }>(part: T): T =>
  part.message === undefined ? part : { ...part, message: germanOf(part.message) };

/** An error with its messages in German. The message of several problems is those of its details, one after the other. */
export function germanError(error: ShownError): ShownError {
  const details = (error.details ?? []).map(spoken);
  const all = details.flatMap(({ message }) => message ?? []);
  if (all.length < 2) return { ...spoken(error), details };
  return { ...error, message: all.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`)).join(' '), details };
}
