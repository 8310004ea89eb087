/** The German of messages that the server writes, by the English ones: `scripts/german-messages.test.ts` lists those without it. */

export const serverMessages: Readonly<Record<string, string>> = {
  'A report is of a tenant or of a group of tenants. Send one of them.':
    'Ein Bericht betrifft einen Mandanten oder eine Gruppe von Mandanten. Senden Sie eines von beiden.',
  'Only a work unit that is On Hold waits for something. Set the state to OnHold, or leave this empty.':
    'Nur ein wartender Vorgang wartet auf etwas. Setzen Sie den Zustand auf Wartend, oder lassen Sie dies leer.',
  'The end of an exception is in the future. To end it now, remove it.':
    'Das Ende einer Ausnahme liegt in der Zukunft. Um sie jetzt zu beenden, entfernen Sie sie.',
  'A policy is in the order twice. Send each of them once.':
    'Eine Richtlinie kommt in der Reihenfolge zweimal vor. Senden Sie jede einmal.',
  'A policy of the order was not found. Load the list again.':
    'Eine Richtlinie der Reihenfolge wurde nicht gefunden. Laden Sie die Liste neu.',
  'This order would move a policy that is going out in rings, or that you may not edit, or there is no number between two of these. Choose another place.':
    'Diese Reihenfolge würde eine Richtlinie verschieben, die in Ringen ausgerollt wird oder die Sie nicht bearbeiten dürfen, oder zwischen zwei solchen ist keine Zahl frei. Wählen Sie eine andere Stelle.',
  'A property of the body must not be named __proto__ or constructor.':
    'Keine Eigenschaft des Inhalts darf __proto__ oder constructor heißen.',
  'Another import of a configuration is under way here. Try again when it has ended.':
    'Hier läuft schon ein Import einer Konfiguration. Versuchen Sie es erneut, wenn er beendet ist.',
  'Choose at least one device, a location, a selection, or a filter.':
    'Wählen Sie mindestens ein Gerät, einen Standort, eine Geräteauswahl oder einen Filter.',
  'countUpTo is a whole number, 0 or more.': 'countUpTo ist eine ganze Zahl, 0 oder mehr.',
  'deviceId differs from the device in the address. Send the same id.':
    'deviceId ist ein anderes Gerät als das in der Adresse. Senden Sie dieselbe ID.',
  'Next Customer Update must be in the future.': 'Die nächste Mitteilung an Kunden muss in der Zukunft liegen.',
  'Only people connect a chat; sign in as a person.': 'Nur Personen verbinden ein Chat-Konto; melden Sie sich als Person an.',
  'This link is used, too old, or for a customer to whom you have no access. Press the button in the chat again to get another.':
    'Dieser Link ist verbraucht, zu alt oder für einen Kunden, auf den Sie keinen Zugriff haben. Drücken Sie im Chat noch einmal auf die Schaltfläche, um einen neuen zu bekommen.',
  'Only a resolved request can be opened again. Please create a new one.':
    'Nur eine gelöste Anfrage kann wieder geöffnet werden. Bitte erstellen Sie eine neue.',
  'Somebody has worked on it since, so it stays as it is.': 'Seither hat jemand daran gearbeitet, deshalb bleibt er, wie er ist.',
  'This is a test of the subscription. Nothing happened.': 'Das ist ein Test des Abonnements. Nichts ist geschehen.',
  'A JSON Patch is an array of operations.': 'Ein JSON Patch ist eine Liste von Operationen.',
  'A MIB begins with its name and DEFINITIONS ::= BEGIN.': 'Eine MIB beginnt mit ihrem Namen und DEFINITIONS ::= BEGIN.',
  'A Maintenance rule opens no matches, so it has no backtest. Request its explanation at a time instead.':
    'Eine Wartungsregel öffnet keine Treffer, deshalb hat sie keinen Rücktest. Fragen Sie stattdessen nach ihrer Erklärung zu einer Zeit.',
  'A backtest compares only rules of the same type. Choose another saved rule.':
    'Ein Rücktest vergleicht nur Regeln derselben Art. Wählen Sie eine andere gespeicherte Regel.',
  'A backup or a test of a restore is under way. Wait until it has ended.':
    'Eine Sicherung oder ein Test einer Wiederherstellung läuft. Warten Sie, bis er beendet ist.',
  'A batch cannot make this call. Send it alone.': 'Ein Stapel kann diesen Aufruf nicht machen. Senden Sie ihn allein.',
  'A batch takes no key for all its calls. Send a key in the headers of each call that creates.':
    'Ein Stapel hat keinen Schlüssel für alle seine Aufrufe. Senden Sie einen Schlüssel in den Kopfzeilen jedes Aufrufs, der etwas anlegt.',
  'A bulk edit names at least one row.': 'Eine Massenänderung nennt mindestens eine Zeile.',
  'A bulk edit names ids.': 'Eine Massenänderung nennt ids.',
  'A bulk edit names newState (and previousState), or patch.': 'Eine Massenänderung nennt newState (und previousState) oder patch.',
  'A campaign that changes a rule or a policy cannot be retried. Start another campaign.':
    'Eine Kampagne, die eine Regel oder Richtlinie ändert, kann nicht wiederholt werden. Starten Sie eine andere.',
  'A changed value may not send a secret of the tenant to another recipient. Keep the value of the protocol.':
    'Ein geänderter Wert darf ein Geheimnis des Mandanten nicht an einen anderen Empfänger senden. Behalten Sie den Wert des Ablaufplans.',
  'A daily report has no day; send 0.': 'Ein täglicher Bericht hat keinen Tag; senden Sie 0.',
  'A dashboard that a token creates cannot be private. Share it with everybody.':
    'Ein Dashboard, das ein Token anlegt, kann nicht privat sein. Teilen Sie es mit allen.',
  'A device cannot depend on itself.': 'Ein Gerät kann nicht von sich selbst abhängen.',
  'A freeze ends after its start.': 'Eine Änderungssperre endet nach ihrem Beginn.',
  'A grant with this permission set exists already. End one of the two grants.':
    'Eine Berechtigung mit diesem Berechtigungssatz gibt es schon. Beenden Sie eine der beiden.',
  'A heartbeat block comes with its device; choose another type.':
    'Ein Heartbeat-Baustein kommt mit seinem Gerät; wählen Sie eine andere Art.',
  'A heartbeat block is deleted with its device.': 'Ein Heartbeat-Baustein wird mit seinem Gerät gelöscht.',
  'A layer ends after its start.': 'Eine Ebene endet nach ihrem Beginn.',
  'A link changes nothing.': 'Ein Link ändert nichts.',
  'A mail has no plan, so it cannot open a change request. Please choose another type.':
    'Eine Mail hat keinen Plan, deshalb kann sie keinen Änderungsantrag öffnen. Bitte wählen Sie eine andere Art.',
  'A maintenance cannot start in the past. Choose a later start.':
    'Eine Wartung kann nicht in der Vergangenheit beginnen. Wählen Sie einen späteren Beginn.',
  'A maintenance ends after its start.': 'Eine Wartung endet nach ihrem Beginn.',
  'A maintenance ends in the future. End one that is running by "End now".':
    'Eine Wartung endet in der Zukunft. Beenden Sie eine laufende durch „Jetzt beenden“.',
  'A merged work unit stays with its customer. Take it apart first.':
    'Ein zusammengeführter Vorgang bleibt bei seinem Kunden. Trennen Sie ihn zuerst.',
  'A new communication can only be Investigating.': 'Eine neue Mitteilung kann nur Investigating sein.',
  'A new row has no version yet.': 'Eine neue Zeile hat noch keine Version.',
  'A new work unit can only be New.': 'Ein neuer Vorgang kann nur New sein.',
  'A patch has at most 256 kB.': 'Ein Patch hat höchstens 256 kB.',
  'Look-back address and endpoint URL must have the same host.': 'Adresse der Rückschau und Endpunkt-URL müssen denselben Host haben.',
  'A placeholder cannot be part of the host or port of an address. Write them out.':
    'Ein Platzhalter kann kein Teil des Hosts oder des Ports einer Adresse sein. Schreiben Sie beide aus.',
  'A placeholder cannot stand in the scheme, host or port of an address.':
    'Ein Platzhalter kann nicht in Schema, Host oder Port einer Adresse stehen.',
  'A rejected action cannot be replayed.': 'Eine abgelehnte Aktion kann nicht wiederholt werden.',
  'A report is of days from 2000 to 2999.': 'Ein Bericht ist über Tage von 2000 bis 2999.',
  'A row is named twice.': 'Eine Zeile ist doppelt genannt.',
  'A rule for several tenants does not come into force in rings, because a campaign is of one tenant. Save it for all.':
    'Eine Regel für mehrere Mandanten wird nicht in Ringen eingeführt, weil eine Kampagne zu einem Mandanten gehört. Speichern Sie sie für alle.',
  'A rule for several tenants has no condition on the tenant. Remove the condition.':
    'Eine Regel für mehrere Mandanten hat keine Bedingung auf den Mandanten. Entfernen Sie die Bedingung.',
  'A rule for several tenants opens a work unit in the tenant that it matches. Leave the tenant out.':
    'Eine Regel für mehrere Mandanten öffnet einen Vorgang in dem Mandanten, in dem sie zutrifft. Lassen Sie den Mandanten weg.',
  'A rule is for a tenant or for a group of tenants. Clear one of the two.':
    'Eine Regel gilt für einen Mandanten oder für eine Gruppe von Mandanten. Leeren Sie eines von beiden.',
  'A rule of this type does not look at single entities. It has exceptions for tenants and groups only.':
    'Eine Regel dieser Art sieht nicht auf einzelne Objekte. Sie hat nur Ausnahmen für Mandanten und Gruppen.',
  'A rule opens work units only in its own tenant. Choose that tenant.':
    'Eine Regel öffnet Vorgänge nur in ihrem eigenen Mandanten. Wählen Sie diesen.',
  'A service level has at least one target: enter the minutes to resolve, for example.':
    'Ein Servicelevel hat mindestens ein Ziel: Geben Sie zum Beispiel die Minuten bis zur Lösung ein.',
  'A subscription is for a tenant or for a group of tenants. Clear one of the two.':
    'Ein Abonnement gilt für einen Mandanten oder für eine Gruppe von Mandanten. Leeren Sie eines von beiden.',
  'A template is of one tenant. Remove the others.': 'Eine Vorlage gehört zu einem Mandanten. Entfernen Sie die anderen.',
  'A tenant of the group was not found. Choose existing ones.': 'Ein Mandant der Gruppe wurde nicht gefunden. Wählen Sie vorhandene.',
  'A tenant was not found. Choose existing ones.': 'Ein Mandant wurde nicht gefunden. Wählen Sie vorhandene.',
  'A test is about a work unit or a match, not both.': 'Ein Test gilt einem Vorgang oder einem Treffer, nicht beiden.',
  'A token is accepted as a password over https only. Use an https address.':
    'Ein Token wird als Passwort nur über https angenommen. Benutzen Sie eine Adresse mit https.',
  'A value with a line break cannot stand in a header.': 'Ein Wert mit einem Zeilenumbruch kann nicht in einer Kopfzeile stehen.',
  'A version that is disabled does not come into force; enable it.': 'Eine deaktivierte Version wird nicht eingeführt; aktivieren Sie sie.',
  'A version that is disabled does not go out. Enable it, or save the policy.':
    'Eine deaktivierte Version wird nicht eingeführt. Aktivieren Sie sie, oder speichern Sie die Richtlinie.',
  'A week can be signed off only after it has begun.': 'Eine Woche kann erst abgezeichnet werden, wenn sie begonnen hat.',
  'A work unit cannot be merged into itself.': 'Ein Vorgang kann nicht mit sich selbst zusammengeführt werden.',
  'Access requests cannot be received at the moment. Please ask an administrator.':
    'Im Moment können keine Anfragen nach Zugriff entgegengenommen werden. Bitte fragen Sie einen Administrator.',
  'Add at least one component before the page becomes public.':
    'Fügen Sie mindestens eine Komponente hinzu, bevor die Seite öffentlich wird.',
  'Address is not a valid address.': 'Die Adresse ist keine gültige Adresse.',
  'An action that sends SMS to people has the input parameter To: the phone number.':
    'Eine Aktion, die Personen SMS sendet, hat den Eingabeparameter To: die Telefonnummer.',
  'An address cannot contain a user name or password. Each delivery is signed: let the receiver check that.':
    'Eine Adresse kann weder Benutzernamen noch Passwort enthalten. Jede Zustellung ist signiert: Lassen Sie den Empfänger das prüfen.',
  'An address cannot contain a user name or password. Store them as a secret, and use the secret in a header.':
    'Eine Adresse kann weder einen Benutzernamen noch ein Passwort enthalten. Speichern Sie sie als Geheimnis, und benutzen Sie das Geheimnis in einer Kopfzeile.',
  'An address with ldaps:// is encrypted from the start. Use ldap:// for STARTTLS.':
    'Eine Adresse mit ldaps:// ist von Anfang an verschlüsselt. Benutzen Sie ldap:// für STARTTLS.',
  'An exception is for a tenant or for a group of tenants. Clear one of the two.':
    'Eine Ausnahme gilt für einen Mandanten oder für eine Gruppe von Mandanten. Leeren Sie eines von beiden.',
  'An override must end after its start.': 'Eine Vertretung muss nach ihrem Beginn enden.',
  'Block created.': 'Der Baustein wurde angelegt.',
  'Built-in actions come with the product; choose another type.': 'Eingebaute Aktionen gehören zum Produkt; wählen Sie eine andere Art.',
  'Calls to the receiver have failed for a day and are disabled. An administrator allows them again under Outbox.':
    'Aufrufe an den Empfänger schlagen seit einem Tag fehl und sind ausgeschaltet. Ein Administrator erlaubt sie im Postausgang wieder.',
  'Can not have duplicate custom fields.': 'Eigene Felder dürfen nicht doppelt vorkommen.',
  'Categories belong to a tenant. Please leave it empty in an article for all tenants.':
    'Kategorien gehören zu einem Mandanten. Bitte lassen Sie das Feld in einem Artikel für alle Mandanten leer.',
  'Choose at least one kind of event.': 'Wählen Sie mindestens eine Art von Ereignis.',
  'Choose the schedule whose hours decide when the step runs.':
    'Wählen Sie den Bereitschaftsplan, dessen Zeiten entscheiden, wann der Schritt läuft.',
  'Device Operations Cloned Successfully.': 'Die Aufgaben des Geräts wurden kopiert.',
  'Device operation was not found in this tenant.': 'Die Aufgabe wurde in diesem Mandanten nicht gefunden.',
  'Device was not found in this tenant.': 'Das Gerät wurde in diesem Mandanten nicht gefunden.',
  'Each patch operation needs op and path.': 'Jede Operation eines Patches braucht op und path.',
  'Endpoint URL is not a valid address.': 'Die Adresse des Endpunkts ist keine gültige Adresse.',
  'Endpoint URL must start with http:// or https://.': 'Die Adresse des Endpunkts muss mit http:// oder https:// beginnen.',
  'Ends on is in the past.': 'Das Ende liegt in der Vergangenheit.',
  'Expires on is after the end of the lifetime.': 'Das Ablaufdatum liegt nach dem Ende der Lebensdauer.',
  'Expires on is in the past.': 'Das Ablaufdatum liegt in der Vergangenheit.',
  'Feedback can be given when the request is done.': 'Eine Rückmeldung ist möglich, wenn die Anfrage erledigt ist.',
  'Files are sent as they are, without Content-Encoding.': 'Dateien werden gesendet, wie sie sind, ohne Content-Encoding.',
  'Filled with its values, the text is longer than 1 MB.': 'Mit seinen Werten ist der Text länger als 1 MB.',
  'Groups cannot be exported.': 'Gruppen können nicht exportiert werden.',
  'HEAD is not offered here.': 'HEAD gibt es hier nicht.',
  'If-Match applies to one row. In a bulk edit, send previousState instead.':
    'If-Match gilt für eine Zeile. Senden Sie in einer Massenänderung previousState.',
  'Import the file in parts.': 'Importieren Sie die Datei in Teilen.',
  'Internal Notification kept, not sent: no mail server is set.':
    'Die interne Benachrichtigung bleibt liegen und wird nicht gesendet: Es ist kein Mailserver eingestellt.',
  'Internal Notification sent.': 'Die interne Benachrichtigung wurde gesendet.',
  'Is not valid.': 'Ist nicht gültig.',
  'It came from another tenant. Somebody with rights there can move it back.':
    'Es kam von einem anderen Mandanten. Jemand mit Rechten dort kann es zurückbringen.',
  'It has moved to another tenant, or another row has its key or name. Somebody with rights there can bring it back.':
    'Es ist bei einem anderen Mandanten, oder eine andere Zeile hat seinen Schlüssel oder Namen. Jemand mit Rechten dort kann es zurückholen.',
  'It is not said when the ticket was created.': 'Es steht nicht da, wann das Ticket angelegt wurde.',
  'It takes none.': 'Sie nimmt keine.',
  'Location was not found in this tenant.': 'Der Standort wurde in diesem Mandanten nicht gefunden.',
  'Must report within is at least one minute (00:01:00).': 'Die Meldefrist ist mindestens eine Minute (00:01:00).',
  'Name an entry of the audit (auditId) or a request (changeSet).':
    'Nennen Sie einen Eintrag des Audits (auditId) oder eine Anfrage (changeSet).',
  'Name the team, and only for a view that is shared with a team.':
    'Nennen Sie das Team, und nur für eine Ansicht, die mit einem Team geteilt wird.',
  'No action of the tenant sends SMS. An administrator switches on "Sends SMS to people" for one.':
    'Keine Aktion des Mandanten sendet SMS. Ein Administrator schaltet bei einer „Sendet Personen SMS“ ein.',
  'No agent of this device has enrolled, so there is none to uninstall. Delete the device instead.':
    'Kein Agent dieses Geräts hat sich registriert, also gibt es keinen zu deinstallieren. Löschen Sie stattdessen das Gerät.',
  'No device is left for this ring.': 'Für diesen Ring ist kein Gerät mehr übrig.',
  'No device of this campaign has failed.': 'Kein Gerät dieser Kampagne ist fehlgeschlagen.',
  'No mail server is set (SMTP_URL), so no invitation can be sent. An administrator of all tenants gets a link to pass on.':
    'Es ist kein Mailserver eingestellt (SMTP_URL), deshalb kann keine Einladung gesendet werden. Ein Administrator aller Mandanten bekommt einen Link zum Weitergeben.',
  'No mail server is set, so mails wait in the outbox. Set SMTP_URL and MAIL_FROM, and restart the server.':
    'Es ist kein Mailserver eingestellt, deshalb warten Mails im Postausgang. Setzen Sie SMTP_URL und MAIL_FROM, und starten Sie den Server neu.',
  'No mail server is set: mails wait in the outbox and reach nobody. An administrator sets SMTP_URL and MAIL_FROM.':
    'Es ist kein Mailserver eingestellt: Mails warten im Postausgang und erreichen niemanden. Ein Administrator setzt SMTP_URL und MAIL_FROM.',
  'No release of the package is for this device. Upload one, or trust its publisher.':
    'Keine Version des Softwarepakets ist für dieses Gerät. Laden Sie eine hoch, oder vertrauen Sie ihrem Herausgeber.',
  'No tenant is left. Except fewer tenants.': 'Es bleibt kein Mandant übrig. Nehmen Sie weniger Mandanten aus.',
  'Nobody was invited.': 'Niemand wurde eingeladen.',
  'Nothing in the policy has changed.': 'An der Richtlinie hat sich nichts geändert.',
  'Nothing in the rule has changed.': 'An der Regel hat sich nichts geändert.',
  'Nothing was made.': 'Nichts wurde angelegt.',
  'One device was not found in this tenant.': 'Ein Gerät wurde in diesem Mandanten nicht gefunden.',
  'One rule was not found in this tenant.': 'Eine Regel wurde in diesem Mandanten nicht gefunden.',
  'Only a Change Request can be approved or declined.': 'Nur ein Änderungsantrag kann genehmigt oder abgelehnt werden.',
  'Only a Change Request needs approval.': 'Nur ein Änderungsantrag braucht eine Genehmigung.',
  'Only a job of the dead letters can be tried again.': 'Nur ein endgültig gescheiterter Auftrag kann noch einmal versucht werden.',
  'Only a mail that waits can be dismissed.': 'Nur eine wartende Mail kann verworfen werden.',
  'Only a person can take over a token.': 'Nur eine Person kann einen Token übernehmen.',
  'Only a person makes a link: it has the rights of the person.': 'Nur eine Person legt einen Link an: Er hat die Rechte der Person.',
  'Only a person who may edit the tenant may name its secrets in a mailbox, or change where they are sent.':
    'Nur wer den Mandanten bearbeiten darf, darf in einem Postfach seine Geheimnisse nennen oder ändern, wohin sie gesendet werden.',
  'Only a person who may edit the tenant may name its secrets, or change where they are sent.':
    'Nur wer den Mandanten bearbeiten darf, darf seine Geheimnisse nennen oder ändern, wohin sie gesendet werden.',
  'Only a person who may edit the tenant may use its secrets in a policy.':
    'Nur wer den Mandanten bearbeiten darf, darf seine Geheimnisse in einer Richtlinie benutzen.',
  'Only a person who may edit the tenant may use its secrets in an operation.':
    'Nur wer den Mandanten bearbeiten darf, darf seine Geheimnisse in einer Aufgabe benutzen.',
  'Only a spam call sets Spam.': 'Nur ein Spam-Anruf setzt Spam.',
  'Only a token with the scope agent registers machines, so only it can promote them.':
    'Nur ein Token mit dem Bereich agent registriert Maschinen, also kann nur er sie übernehmen.',
  'Only actions that send an email have a preview.': 'Nur Aktionen, die eine E-Mail senden, haben eine Vorschau.',
  'Only an Incident can become a Change Request.': 'Nur eine Störung kann ein Änderungsantrag werden.',
  'Only an operation that runs on demand can be queued.': 'Nur eine Aufgabe, die auf Anforderung läuft, kann eingereiht werden.',
  'Only campaigns that install or remove a package, add operations or change a rule or a policy can be returned.':
    'Nur Kampagnen, die ein Softwarepaket installieren oder entfernen, Aufgaben hinzufügen oder eine Regel oder Richtlinie ändern, können zurückgenommen werden.',
  'Only devices wait to be promoted. Blocks are made at once, or refused.':
    'Nur Geräte warten auf ihre Übernahme. Bausteine werden sofort angelegt oder abgelehnt.',
  'Only its owner decides with whom a view is shared.': 'Nur der Besitzer entscheidet, mit wem eine Ansicht geteilt wird.',
  'Only people and tokens can invite.': 'Nur Personen und Tokens können einladen.',
  'Only people can ask this; the permissions of a token are in the list of tokens.':
    'Nur Personen können das fragen; die Berechtigungen eines Tokens stehen in der Liste der Tokens.',
  'Only people can sign out; a token is revoked.': 'Nur Personen können sich abmelden; ein Token wird widerrufen.',
  'Only people choose a language; sign in as a person.': 'Nur Personen wählen eine Sprache; melden Sie sich als Person an.',
  'Only people have an inbox.': 'Nur Personen haben einen Eingang.',
  'Only people have feeds; sign in as a person.': 'Nur Personen haben Feeds; melden Sie sich als Person an.',
  'Only people have notification preferences; sign in as a person.':
    'Nur Personen haben Einstellungen für Benachrichtigungen; melden Sie sich als Person an.',
  'Only people have photos; sign in as a person.': 'Nur Personen haben Fotos; melden Sie sich als Person an.',
  'Only people have reports sent by mail; sign in as a person.':
    'Nur Personen lassen sich Berichte per Mail senden; melden Sie sich als Person an.',
  'Only people have requests of their own.': 'Nur Personen haben eigene Anfragen.',
  'Only people have saved views; sign in as a person.': 'Nur Personen haben gespeicherte Ansichten; melden Sie sich als Person an.',
  'Only people have something to do.': 'Nur Personen haben etwas zu tun.',
  'Only people open the links of messages.': 'Nur Personen öffnen die Links von Nachrichten.',
  'Only people see the first steps.': 'Nur Personen sehen die ersten Schritte.',
  'Only people subscribe by themselves. Please add a contact instead.':
    'Nur Personen abonnieren selbst. Bitte fügen Sie stattdessen einen Kontakt hinzu.',
  'Only people watch work units.': 'Nur Personen beobachten Vorgänge.',
  'Only people who may edit People in all tenants see the portal as somebody else.':
    'Nur wer in allen Mandanten Personen bearbeiten darf, sieht das Portal als jemand anders.',
  'Only rows of the configuration can be restored.': 'Nur Zeilen der Konfiguration können wiederhergestellt werden.',
  'Only rows of the configuration have versions that can be restored.':
    'Nur Zeilen der Konfiguration haben Versionen, die wiederhergestellt werden können.',
  'Only rules of the types Ingestion and History can be tested on one packet.':
    'Nur Regeln der Arten Ingestion und History können mit einem Paket getestet werden.',
  'Only rules of the types Ingestion and History come into force in rings: they evaluate packets of devices.':
    'Nur Regeln der Arten Ingestion und History werden in Ringen eingeführt: Sie werten Pakete von Geräten aus.',
  'Only rules of the types Ingestion and History read packets.': 'Nur Regeln der Arten Ingestion und History lesen Pakete.',
  'Only somebody who may edit all tenants can rename a tenant.': 'Nur wer alle Mandanten bearbeiten darf, kann einen Mandanten umbenennen.',
  'Only the person can change the phone number.': 'Nur die Person selbst kann die Telefonnummer ändern.',
  'Only the person who comes on call can say that a handover was read.':
    'Nur die Person, deren Bereitschaft beginnt, kann sagen, dass eine Übergabe gelesen wurde.',
  'Only the person who goes off call, or a person who may edit schedules, can write the note of a handover.':
    'Nur die Person, deren Bereitschaft endet, oder wer Bereitschaftspläne bearbeiten darf, kann die Notiz einer Übergabe schreiben.',
  'Other backtests are running. Wait until they end, or stop them.':
    'Andere Rücktests laufen. Warten Sie, bis sie enden, oder stoppen Sie sie.',
  'Package was not found for this device.': 'Das Softwarepaket wurde für dieses Gerät nicht gefunden.',
  'Passwords are sent with TLS only: use ldaps://, or switch on STARTTLS.':
    'Passwörter werden nur mit TLS gesendet: Benutzen Sie ldaps://, oder schalten Sie STARTTLS ein.',
  'Person was not found among those with rights in this tenant.':
    'Die Person wurde nicht unter denen gefunden, die in diesem Mandanten Rechte haben.',
  'Please choose a subscription.': 'Bitte wählen Sie ein Abonnement.',
  'Please choose a time in the future.': 'Bitte wählen Sie eine Zeit in der Zukunft.',
  'Please choose the tenants of its people, or all of them.': 'Bitte wählen Sie die Mandanten seiner Personen, oder alle.',
  'Please enter a certificate in PEM, from -----BEGIN CERTIFICATE----- to its end.':
    'Bitte geben Sie ein Zertifikat in PEM ein, von -----BEGIN CERTIFICATE----- bis zu seinem Ende.',
  'Please enter the account that searches for people. Anonymous searches are not supported.':
    'Bitte geben Sie das Konto ein, das nach Personen sucht. Anonyme Suchen werden nicht unterstützt.',
  'Please enter the address at which the provider gives tokens.': 'Bitte geben Sie die Adresse ein, unter der der Anbieter Tokens ausgibt.',
  'Please enter the address of the LDAP server, such as ldaps://dc1.example.com.':
    'Bitte geben Sie die Adresse des LDAP-Servers ein, zum Beispiel ldaps://dc1.example.com.',
  'Please enter the client ID under which CloudFit is registered at the provider.':
    'Bitte geben Sie die Client-ID ein, unter der CloudFit beim Anbieter registriert ist.',
  'Please enter the distinguished name below which people are searched, such as dc=example,dc=com.':
    'Bitte geben Sie den Distinguished Name ein, unter dem Personen gesucht werden, zum Beispiel dc=example,dc=com.',
  'Please enter the folder that is read, usually INBOX.': 'Bitte geben Sie den Ordner ein, der gelesen wird, meistens INBOX.',
  'Please enter the issuer: the address of the provider as it stands in its discovery document.':
    'Bitte geben Sie den Aussteller ein: die Adresse des Anbieters, wie sie in seinem Discovery-Dokument steht.',
  'Please enter the name with which the mailbox is read.': 'Bitte geben Sie den Namen ein, mit dem das Postfach gelesen wird.',
  'Please enter the secret of the tenant in which the password is stored.':
    'Bitte geben Sie das Geheimnis des Mandanten ein, in dem das Passwort gespeichert ist.',
  'Please name the tenant: you have several.': 'Bitte nennen Sie den Mandanten: Sie haben mehrere.',
  'Please sign in.': 'Bitte melden Sie sich an.',
  'Promote to is required: without a subscription no machine is promoted.':
    'Das Ziel der Übernahme ist erforderlich: Ohne Abonnement wird keine Maschine übernommen.',
  'Refused with another line about the same thing.': 'Abgelehnt mit einer anderen Zeile über dasselbe.',
  'Roll a policy out by POST /v1/policies/rollOut.': 'Führen Sie eine Richtlinie durch POST /v1/policies/rollOut ein.',
  'Root Cause is required when the status is Resolved.': 'Die Ursache ist erforderlich, wenn der Status Resolved ist.',
  'Rule was not found in this tenant.': 'Die Regel wurde in diesem Mandanten nicht gefunden.',
  'Rules of this type are not about single entities. Leave entityIds out.':
    'Regeln dieser Art sind nicht über einzelne Objekte. Lassen Sie entityIds weg.',
  'Say how the device or the block is named, for instance {host}.':
    'Sagen Sie, wie das Gerät oder der Baustein heißt, zum Beispiel {host}.',
  'Say what is otherwise here: a value, the lifetime, the severity, or that the rule does not hold.':
    'Sagen Sie, was hier anders ist: ein Wert, die Lebensdauer, der Schweregrad, oder dass die Regel nicht gilt.',
  'Say what the devices should have: an operation, a package, a tag, a value or a heartbeat.':
    'Sagen Sie, was die Geräte haben sollen: eine Aufgabe, ein Softwarepaket, einen Tag, einen Wert oder einen Heartbeat.',
  'Send a bearer token, or a token of this server as the password.':
    'Senden Sie einen Bearer-Token, oder einen Token dieses Servers als Passwort.',
  'Send a value, allowedHosts or allowedActions.': 'Senden Sie einen Wert, allowedHosts oder allowedActions.',
  'Send either a person or a group claim.': 'Senden Sie entweder eine Person oder eine Gruppe.',
  'Send either permission, call, or entity and key.': 'Senden Sie permission, call oder entity und key.',
  'Send in If-Match an ETag from an answer, with its quotes, such as W/"42", or *.':
    'Senden Sie in If-Match einen ETag aus einer Antwort mit seinen Anführungszeichen, etwa W/"42", oder *.',
  'Send one file with each call, as file-1.': 'Senden Sie mit jedem Aufruf eine Datei, als file-1.',
  'Send one message at a time.': 'Senden Sie eine Nachricht zur Zeit.',
  'Send the files as multipart/form-data.': 'Senden Sie die Dateien als multipart/form-data.',
  'Send the id of the entity, subscription or work unit that the explanation is about.':
    'Senden Sie die ID des Objekts, des Abonnements oder des Vorgangs, den die Erklärung betrifft.',
  'Send the id of the tenant for which the action runs.': 'Senden Sie die ID des Mandanten, für den die Aktion läuft.',
  'Send the key of the row.': 'Senden Sie den Schlüssel der Zeile.',
  'Send the mail as it is, with the content type message/rfc822.': 'Senden Sie die Mail, wie sie ist, mit der Inhaltsart message/rfc822.',
  'Send the token of the mailbox as a bearer token.': 'Senden Sie den Token des Postfachs als Bearer-Token.',
  'Send the token of the source: as a bearer token, as the password, or as the last part of the address.':
    'Senden Sie den Token der Quelle: als Bearer-Token, als Passwort oder als letzten Teil der Adresse.',
  'Send wait in seconds, agentTime as an ISO 8601 time and instance as a GUID.':
    'Senden Sie wait in Sekunden, agentTime als Zeit nach ISO 8601 und instance als GUID.',
  'Somebody chose another version for this device in the meantime.': 'Jemand hat inzwischen eine andere Version für dieses Gerät gewählt.',
  'Something went wrong on the server.': 'Auf dem Server ist etwas fehlgeschlagen.',
  'Store what follows ? in the address as a secret of the tenant: whoever has it can post there.':
    'Speichern Sie, was in der Adresse auf ? folgt, als Geheimnis des Mandanten: Wer es hat, kann dort schreiben.',
  'Subscription was not found in this tenant.': 'Das Abonnement wurde in diesem Mandanten nicht gefunden.',
  'Successfully created access request.': 'Die Anfrage nach Zugriff wurde angelegt.',
  'Tenant is required: a token for all tenants is created on the command line.':
    'Der Mandant ist erforderlich: Ein Token für alle Mandanten wird auf der Kommandozeile angelegt.',
  'Tenant, group and selection of a policy cannot change in rings. Save that change first.':
    'Mandant, Gruppe und Geräteauswahl einer Richtlinie können in Ringen nicht geändert werden. Speichern Sie das zuerst.',
  'Tenant, subscription and type of a rule cannot change in rings.':
    'Mandant, Abonnement und Art einer Regel können in Ringen nicht geändert werden.',
  'Tenants are excepted from all tenants only. Leave out the tenant, or what is excepted.':
    'Mandanten werden nur von allen Mandanten ausgenommen. Lassen Sie den Mandanten oder die Ausnahmen weg.',
  'The $skiptoken does not belong to this list in this order. Start again without it.':
    'Der $skiptoken gehört nicht zu dieser Liste in dieser Ordnung. Beginnen Sie ohne ihn von vorn.',
  'The MIB declares no objects.': 'Die MIB deklariert keine Objekte.',
  'The MIB does not end with END; perhaps the file was cut.': 'Die MIB endet nicht mit END; vielleicht wurde die Datei abgeschnitten.',
  'The access token belongs to no person of this installation. Please sign in again.':
    'Der Zugriffstoken gehört zu keiner Person dieser Installation. Bitte melden Sie sich wieder an.',
  'The account is disabled.': 'Das Konto ist deaktiviert.',
  'The address has a percent sign without two hexadecimal digits. Write a percent sign as %25.':
    'Die Adresse enthält ein Prozentzeichen ohne zwei hexadezimale Ziffern. Schreiben Sie ein Prozentzeichen als %25.',
  'The address is not confirmed, so nobody knows whether mail arrives there. Send a test.':
    'Die Adresse ist nicht bestätigt, also weiß niemand, ob Mails dort ankommen. Senden Sie einen Test.',
  'The address is too long.': 'Die Adresse ist zu lang.',
  'The agent of this device was told to uninstall itself already.':
    'Dem Agenten dieses Geräts wurde schon gesagt, dass er sich deinstallieren soll.',
  'The archive is being written. Try again when the step is done.':
    'Das Archiv wird gerade geschrieben. Versuchen Sie es noch einmal, wenn der Schritt fertig ist.',
  'The archive was removed.': 'Das Archiv wurde entfernt.',
  'The body has no mail. Send its headers and its text.': 'Der Inhalt ist keine Mail. Senden Sie ihre Kopfzeilen und ihren Text.',
  'The body is not valid JSON.': 'Der Inhalt ist kein gültiges JSON.',
  'The body is not valid UTF-8.': 'Der Inhalt ist kein gültiges UTF-8.',
  'The campaign does not run any more.': 'Die Kampagne läuft nicht mehr.',
  'The campaign is being stopped; retry when it has stopped.':
    'Die Kampagne wird gerade gestoppt; wiederholen Sie sie, wenn sie gestoppt ist.',
  'The campaign is not paused.': 'Die Kampagne ist nicht angehalten.',
  'The campaign is over. Edit the rule to change it.': 'Die Kampagne ist vorbei. Bearbeiten Sie die Regel, um sie zu ändern.',
  'The campaign is paused already.': 'Die Kampagne ist schon angehalten.',
  'The campaign is paused. Resume it first.': 'Die Kampagne ist angehalten. Setzen Sie sie zuerst fort.',
  'The date is empty.': 'Das Datum ist leer.',
  'The day of the week is from 0 (Sunday) to 6 (Saturday).': 'Der Wochentag ist von 0 (Sonntag) bis 6 (Samstag).',
  'The deletion has begun. It cannot be moved or stopped any more.':
    'Die Löschung hat begonnen. Sie kann nicht mehr verschoben oder abgebrochen werden.',
  'The deletion is in the past. Choose a later time.': 'Die Löschung liegt in der Vergangenheit. Wählen Sie eine spätere Zeit.',
  'The device began and did not report its end.': 'Das Gerät hat begonnen und kein Ende gemeldet.',
  'The device does not have this operation.': 'Das Gerät hat diese Aufgabe nicht.',
  'The device had these operations already.': 'Das Gerät hatte diese Aufgaben schon.',
  'The device has moved to another tenant.': 'Das Gerät ist in einen anderen Mandanten umgezogen.',
  'The device has this operation several times; name one by its label.':
    'Das Gerät hat diese Aufgabe mehrmals; nennen Sie eine bei ihrer Bezeichnung.',
  'The device started the run and did not report its end.': 'Das Gerät hat den Lauf begonnen und sein Ende nicht gemeldet.',
  'The device was deleted.': 'Das Gerät wurde gelöscht.',
  'The file is not a JPEG, PNG or WebP image.': 'Die Datei ist kein Bild im Format JPEG, PNG oder WebP.',
  'The filter matches no device.': 'Der Filter trifft auf kein Gerät zu.',
  'The filter must contain {name}, which stands for what the person enters.':
    'Der Filter muss {name} enthalten, das für die Eingabe der Person steht.',
  'The filter of a selection names no other selection. Write the conditions of that one instead.':
    'Der Filter einer Geräteauswahl nennt keine andere Auswahl. Schreiben Sie stattdessen deren Bedingungen.',
  'The filter of this ring matches none of the devices.': 'Der Filter dieses Rings trifft auf keines der Geräte zu.',
  'The form was sent faster than a person can fill it in. Please try again.':
    'Das Formular wurde schneller gesendet, als eine Person es ausfüllen kann. Bitte versuchen Sie es noch einmal.',
  'The grant has this permission set already. Choose another one.':
    'Die Berechtigung hat diesen Berechtigungssatz schon. Wählen Sie einen anderen.',
  'The headers have more than 16 KiB together.': 'Die Kopfzeilen haben zusammen mehr als 16 KiB.',
  'The identity provider cannot be reached just now. Please try again.':
    'Der Identitätsanbieter ist gerade nicht erreichbar. Bitte versuchen Sie es noch einmal.',
  'The invitation was accepted already. End the grant of the person instead.':
    'Die Einladung wurde schon angenommen. Beenden Sie stattdessen die Berechtigung der Person.',
  'The issuer must begin with https, because sign-ins and secrets are sent there.':
    'Der Aussteller muss mit https beginnen, weil Anmeldungen und Geheimnisse dorthin gesendet werden.',
  'The key is 1 to 255 visible characters, such as a GUID.': 'Der Schlüssel hat 1 bis 255 sichtbare Zeichen, zum Beispiel eine GUID.',
  'The last message could not be handed over: the receiver fails or does not answer. It is tried again.':
    'Die letzte Nachricht konnte nicht übergeben werden: Der Empfänger antwortet nicht oder mit einem Fehler. Es wird noch einmal versucht.',
  'The line has more cells than there are headings. Put texts with the delimiter in quotation marks.':
    'Die Zeile hat mehr Zellen, als es Überschriften gibt. Setzen Sie Texte mit dem Trennzeichen in Anführungszeichen.',
  'The lines before it were imported; import the file again.': 'Die Zeilen davor wurden importiert; importieren Sie die Datei noch einmal.',
  'The mail or its recipients have changed since the preview. Please look at the preview again.':
    'Die Mail oder ihre Empfänger haben sich seit der Vorschau geändert. Bitte sehen Sie sich die Vorschau noch einmal an.',
  'The mail was taken in already.': 'Die Mail wurde schon übernommen.',
  'The multipart body ends before its last part is complete. Please send it again.':
    'Der Inhalt in mehreren Teilen endet, bevor sein letzter Teil vollständig ist. Bitte senden Sie ihn noch einmal.',
  'The new version is in force for all devices. Return to the version before instead.':
    'Die neue Version gilt schon für alle Geräte. Kehren Sie stattdessen zur vorigen Version zurück.',
  'The number is empty. By it a ticket is recognized in a second import.':
    'Die Nummer ist leer. An ihr wird ein Ticket bei einem zweiten Import erkannt.',
  'The offboarding was stopped already.': 'Die Auflösung wurde schon abgebrochen.',
  'The on-call schedule is no longer there.': 'Den Bereitschaftsplan gibt es nicht mehr.',
  'The operation does not run on demand on this device.': 'Die Aufgabe läuft auf diesem Gerät nicht auf Anforderung.',
  'The operation is disabled on this device.': 'Die Aufgabe ist auf diesem Gerät deaktiviert.',
  'The operation is disabled; enable it before you queue it.': 'Die Aufgabe ist deaktiviert; aktivieren Sie sie, bevor Sie sie einreihen.',
  'The operation is no longer one of this device.': 'Die Aufgabe gehört nicht mehr zu diesem Gerät.',
  'The operation was deleted.': 'Die Aufgabe wurde gelöscht.',
  "The operation's package does not run on the operating system of the device.":
    'Das Softwarepaket der Aufgabe läuft nicht auf dem Betriebssystem des Geräts.',
  'The owner of this token is disabled.': 'Der Besitzer dieses Tokens ist deaktiviert.',
  'The owner of this token no longer holds what it permits.': 'Der Besitzer dieses Tokens hat nicht mehr, was der Token erlaubt.',
  'The period ends before it begins.': 'Der Zeitraum endet, bevor er beginnt.',
  'The permission set was not found. Choose one of the template or one for all tenants.':
    'Der Berechtigungssatz wurde nicht gefunden. Wählen Sie einen der Vorlage oder einen für alle Mandanten.',
  'The permission set was removed in the meantime.': 'Der Berechtigungssatz wurde inzwischen entfernt.',
  'The person is disabled or has no rights in this tenant any more.':
    'Die Person ist deaktiviert oder hat in diesem Mandanten keine Rechte mehr.',
  'The person was disabled.': 'Die Person wurde deaktiviert.',
  'The person who requested this change or last edited its plan cannot approve it.':
    'Wer diese Änderung beantragt oder ihren Plan zuletzt bearbeitet hat, kann sie nicht genehmigen.',
  'The policy has been changed since. Edit it, or roll another version out.':
    'Die Richtlinie wurde seitdem geändert. Bearbeiten Sie sie, oder führen Sie eine andere Version ein.',
  'The query has a percent sign without two hexadecimal digits. Write a percent sign as %25.':
    'Die Abfrage enthält ein Prozentzeichen ohne zwei hexadezimale Ziffern. Schreiben Sie ein Prozentzeichen als %25.',
  'The request was not complete within 30 seconds. Please send it again.':
    'Die Anfrage war nach 30 Sekunden nicht vollständig. Bitte senden Sie sie noch einmal.',
  'The row exists already, and If-None-Match allows only a new row. Leave the header out to edit the row.':
    'Die Zeile gibt es schon, und If-None-Match erlaubt nur eine neue. Lassen Sie die Kopfzeile weg, um die Zeile zu bearbeiten.',
  'The rule is not for this tenant. Choose a rule that is, or another tenant.':
    'Die Regel gilt nicht für diesen Mandanten. Wählen Sie eine passende Regel oder einen anderen Mandanten.',
  'The rule is of one tenant. Choose that tenant.': 'Die Regel gehört zu einem Mandanten. Wählen Sie diesen.',
  'The rule is of this one tenant. Change the rule itself, or make an exception for a part of it.':
    'Die Regel gilt nur für diesen einen Mandanten. Ändern Sie die Regel selbst, oder legen Sie eine Ausnahme für einen Teil davon an.',
  'The rule opens no work unit, so it has no severity. Clear the severity.':
    'Die Regel öffnet keinen Vorgang, also hat sie keinen Schweregrad. Leeren Sie den Schweregrad.',
  'The schedule belongs to another tenant. Choose a schedule of the tenant of the protocol.':
    'Der Bereitschaftsplan gehört zu einem anderen Mandanten. Wählen Sie einen des Mandanten des Ablaufplans.',
  'The scopes must contain openid.': 'Die Scopes müssen openid enthalten.',
  'The selection has no devices yet. Save the policy: devices that join the selection get it.':
    'Die Geräteauswahl hat noch keine Geräte. Speichern Sie die Richtlinie: Geräte, die dazukommen, bekommen sie.',
  'The sign-in could not be completed. Please try again.':
    'Die Anmeldung konnte nicht abgeschlossen werden. Bitte versuchen Sie es noch einmal.',
  'The sign-in has ended.': 'Die Anmeldung ist beendet.',
  'The stored file of this version has changed. Upload the version again, or restore its file from a backup.':
    'Die gespeicherte Datei dieser Version hat sich geändert. Laden Sie die Version noch einmal hoch, oder stellen Sie die Datei aus einer Sicherung wieder her.',
  'The tenant has no address for internal notifications.': 'Der Mandant hat keine Adresse für interne Benachrichtigungen.',
  'The tenant is being offboarded. Stop its offboarding to enable it.':
    'Der Mandant wird gerade aufgelöst. Brechen Sie das ab, um ihn zu aktivieren.',
  'The tenant of a protocol cannot be changed; make another protocol.':
    'Der Mandant eines Ablaufplans kann nicht geändert werden; legen Sie einen anderen Ablaufplan an.',
  'The tenant of an action cannot be changed while rules or protocols use it.':
    'Der Mandant einer Aktion kann nicht geändert werden, solange Regeln oder Ablaufpläne sie benutzen.',
  'The tenant of the source is disabled.': 'Der Mandant der Quelle ist deaktiviert.',
  'The tenant of this device is disabled.': 'Der Mandant dieses Geräts ist deaktiviert.',
  'The tenant of this mailbox is disabled.': 'Der Mandant dieses Postfachs ist deaktiviert.',
  'The tenant of this source is disabled.': 'Der Mandant dieser Quelle ist deaktiviert.',
  'The tenant of this token is disabled.': 'Der Mandant dieses Tokens ist deaktiviert.',
  'The text that begins here has no closing quotation mark.': 'Der Text, der hier beginnt, hat kein schließendes Anführungszeichen.',
  'The ticket was closed before it was created. Compare how the dates are read.':
    'Das Ticket wurde geschlossen, bevor es angelegt wurde. Prüfen Sie, wie die Daten gelesen werden.',
  'The title is empty.': 'Der Titel ist leer.',
  'The token address is not a valid address.': 'Die Adresse für Tokens ist keine gültige Adresse.',
  'The token address must begin with https, because the client secret is sent there.':
    'Die Adresse für Tokens muss mit https beginnen, weil das Client-Geheimnis dorthin gesendet wird.',
  'The value was refused.': 'Der Wert wurde abgelehnt.',
  'There is no room for this file on the server. Please tell its administrator.':
    'Auf dem Server ist kein Platz für diese Datei. Bitte sagen Sie es seinem Administrator.',
  'There is no such file of the agent.': 'Diese Datei des Agenten gibt es nicht.',
  'There is no such view of work units of this tenant that you see.': 'Eine solche Ansicht von Vorgängen dieses Mandanten sehen Sie nicht.',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'These files are neither a configuration nor answers of Opsgenie, PagerDuty, Grafana OnCall or Zammad, nor an export of Zabbix or a dump of osTicket. MOVING-IN.md says which are read.':
    'Diese Dateien sind weder eine Konfiguration noch Antworten von Opsgenie, PagerDuty, Grafana OnCall oder Zammad, noch ein Export von Zabbix oder ein Dump von osTicket. MOVING-IN.md sagt, welche gelesen werden.',
  'This Change Request is no longer open.': 'Dieser Änderungsantrag ist nicht mehr offen.',
  'This Change Request needs no further approval.': 'Dieser Änderungsantrag braucht keine weitere Genehmigung.',
  'This action runs automatically and cannot be run by hand.': 'Diese Aktion läuft automatisch und kann nicht von Hand ausgeführt werden.',
  'This address and token do not belong together. Copy both from the page Mailboxes.':
    'Diese Adresse und dieser Token gehören nicht zusammen. Kopieren Sie beide von der Seite Postfächer.',
  'This address and token do not belong together. Copy both from the page Sources.':
    'Diese Adresse und dieser Token gehören nicht zusammen. Kopieren Sie beide von der Seite Quellen.',
  'This address takes POST alone.': 'Diese Adresse nimmt nur POST.',
  'This approval has been decided already.': 'Diese Genehmigung wurde schon entschieden.',
  'This block shows what its device reports. Send packets of the device to /v1/packets.':
    'Dieser Baustein zeigt, was sein Gerät meldet. Senden Sie Pakete des Geräts an /v1/packets.',
  'This call changes something, so a page of another site cannot make it.':
    'Dieser Aufruf ändert etwas, deshalb kann ihn keine Seite einer anderen Website machen.',
  'This call takes no options.': 'Dieser Aufruf nimmt keine Optionen.',
  'This category belongs to another work unit type.': 'Diese Kategorie gehört zu einer anderen Art von Vorgang.',
  'This category is disabled or belongs to another work unit type.':
    'Diese Kategorie ist deaktiviert oder gehört zu einer anderen Art von Vorgang.',
  'This configuration belongs to several tenants; it cannot be imported into one.':
    'Diese Konfiguration gehört zu mehreren Mandanten; sie kann nicht in einen importiert werden.',
  'This content type is not supported; send application/json.':
    'Diese Art des Inhalts wird nicht unterstützt; senden Sie application/json.',
  'This control has a status for this week already.': 'Diese Kontrolle hat für diese Woche schon einen Status.',
  'This directory has no provider to which a secret is sent.':
    'Dieses Verzeichnis hat keinen Anbieter, an den ein Geheimnis gesendet wird.',
  'This execution is being replayed already.': 'Diese Ausführung wird schon wiederholt.',
  'This execution still runs; only a finished one can be replayed.':
    'Diese Ausführung läuft noch; nur eine beendete kann wiederholt werden.',
  'This is an ID token; an access token is needed.': 'Das ist ein ID-Token; gebraucht wird ein Zugriffstoken.',
  'This is neither a token from Tokens, which begins with cfst_, nor the access token of a person.':
    'Das ist weder ein Token von der Seite Tokens, der mit cfst_ beginnt, noch der Zugriffstoken einer Person.',
  'This is not a complete token of a mailbox: please check that it was copied whole.':
    'Das ist kein vollständiger Token eines Postfachs: Bitte prüfen Sie, ob er ganz kopiert wurde.',
  'This is not a complete token of a source: please check that it was copied whole.':
    'Das ist kein vollständiger Token einer Quelle: Bitte prüfen Sie, ob er ganz kopiert wurde.',
  'This is not a complete token: please check that it was copied whole.':
    'Das ist kein vollständiger Token: Bitte prüfen Sie, ob er ganz kopiert wurde.',
  'This is not a licence of this product: it is damaged, or somebody else signed it.':
    'Das ist keine Lizenz dieses Produkts: Sie ist beschädigt, oder jemand anders hat sie signiert.',
  'This is not a text. Save the table as CSV, and choose that file.':
    'Das ist kein Text. Speichern Sie die Tabelle als CSV, und wählen Sie diese Datei.',
  'This is not a valid HTTP request.': 'Das ist keine gültige HTTP-Anfrage.',
  'This is the only tenant. An installation needs one.': 'Das ist der einzige Mandant. Eine Installation braucht einen.',
  'This key was used for another request. Send a new key with a new request.':
    'Dieser Schlüssel wurde für eine andere Anfrage benutzt. Senden Sie für eine neue Anfrage einen neuen Schlüssel.',
  'This link is not valid, or it has ended. Please ask the person who gave it to you.':
    'Dieser Link ist nicht gültig, oder er ist beendet. Bitte fragen Sie die Person, von der Sie ihn haben.',
  'This mail waits in the outbox, because no mail server is set. It is sent when one is set.':
    'Diese Mail wartet im Postausgang, weil kein Mailserver eingestellt ist. Sie wird gesendet, sobald einer eingestellt ist.',
  'This mailbox is disabled. Enable it on the page Mailboxes.':
    'Dieses Postfach ist deaktiviert. Aktivieren Sie es auf der Seite Postfächer.',
  'This maintenance is over already.': 'Diese Wartung ist schon vorbei.',
  'This maintenance is over. Start a new one.': 'Diese Wartung ist vorbei. Beginnen Sie eine neue.',
  'This override is over; it stays as a record of who was on call.':
    'Diese Vertretung ist vorbei; sie bleibt als Nachweis, wer Bereitschaft hatte.',
  'This package cannot be deleted while devices run its operations.':
    'Dieses Softwarepaket kann nicht gelöscht werden, solange Geräte seine Aufgaben ausführen.',
  'This package cannot be deleted while it is installed on devices.':
    'Dieses Softwarepaket kann nicht gelöscht werden, solange es auf Geräten installiert ist.',
  'This package is in the list twice. Send it once.': 'Dieses Softwarepaket ist doppelt in der Liste. Senden Sie es einmal.',
  'This ring is no longer the current one, or no ring follows it. Please load the campaign again.':
    'Dieser Ring ist nicht mehr der aktuelle, oder ihm folgt keiner. Bitte laden Sie die Kampagne neu.',
  'This selection is not for devices of the tenant of the maintenance.':
    'Diese Geräteauswahl gilt nicht für Geräte des Mandanten der Wartung.',
  'This server is about to stop. Please use another one, or try again in a moment.':
    'Dieser Server wird gleich beendet. Bitte benutzen Sie einen anderen, oder versuchen Sie es in einem Moment noch einmal.',
  'This server takes nothing for sources.': 'Dieser Server nimmt nichts für Quellen an.',
  'This service is not offered.': 'Dieser Dienst wird nicht angeboten.',
  'This service supports OData 4.0 only. Send that version, or leave the header out.':
    'Dieser Dienst unterstützt nur OData 4.0. Senden Sie diese Version, oder lassen Sie die Kopfzeile weg.',
  'This source is disabled. Enable it on the page Sources.': 'Diese Quelle ist deaktiviert. Aktivieren Sie sie auf der Seite Quellen.',
  'This subcategory is disabled or belongs to another category.':
    'Diese Unterkategorie ist deaktiviert oder gehört zu einer anderen Kategorie.',
  'This table is empty. Its first line has the headings of the columns.':
    'Diese Tabelle ist leer. Ihre erste Zeile hat die Überschriften der Spalten.',
  'This tenant is not yours.': 'Dieser Mandant ist nicht Ihrer.',
  'This token does not exist.': 'Diesen Token gibt es nicht.',
  'This token has been revoked.': 'Dieser Token wurde widerrufen.',
  'This token has expired.': 'Dieser Token ist abgelaufen.',
  "This view as another person has ended. Start it again from the person's page.":
    'Diese Ansicht als andere Person ist beendet. Beginnen Sie sie wieder auf der Seite der Person.',
  'This was changed by somebody else in the meantime. Please load it again.':
    'Das hat inzwischen jemand anders geändert. Bitte laden Sie es neu.',
  'This work unit is not merged into another one, or no longer.':
    'Dieser Vorgang ist nicht mit einem anderen zusammengeführt, oder nicht mehr.',
  'This would leave the installation without an administrator. Give somebody else Administrator in all tenants first.':
    'Damit hätte die Installation keinen Administrator mehr. Geben Sie zuerst jemand anderem Administrator in allen Mandanten.',
  'Too many open pages follow changes. Please close some of them.':
    'Zu viele offene Seiten folgen Änderungen. Bitte schließen Sie einige davon.',
  'Too many people are signing in just now. Please try again.':
    'Gerade melden sich zu viele Personen an. Bitte versuchen Sie es noch einmal.',
  'Tried only.': 'Nur ausprobiert.',
  'Two calls of the batch have the same id.': 'Zwei Aufrufe des Stapels haben dieselbe id.',
  'Unknown call. Write it as in the documentation: PUT /v1/devices.':
    'Unbekannter Aufruf. Schreiben Sie ihn wie in der Dokumentation: PUT /v1/devices.',
  'Which calendar has these holidays? Add a column with its name.':
    'Welcher Kalender hat diese Feiertage? Fügen Sie eine Spalte mit seinem Namen hinzu.',
  'Work Unit is already a Change Request.': 'Der Vorgang ist schon ein Änderungsantrag.',
  'Work units use this article. Please retire it instead of deleting it.':
    'Vorgänge benutzen diesen Artikel. Bitte ziehen Sie ihn zurück, statt ihn zu löschen.',
  'You do not have access. Please contact your system administrator for access.':
    'Sie haben keinen Zugriff. Bitte fragen Sie Ihren Systemadministrator danach.',
  'You do not have the permission to view work units there, so you cannot have them reported.':
    'Sie dürfen dort keine Vorgänge sehen, also können Sie keinen Bericht darüber bekommen.',
  'You do not have the permission to view work units there.': 'Sie dürfen dort keine Vorgänge sehen.',
  'You have decided as the other approver already; two different people have to decide.':
    'Sie haben schon als der andere Genehmiger entschieden; zwei verschiedene Personen müssen entscheiden.',
  'You have no verified email address. Ask an administrator to verify yours.':
    'Sie haben keine bestätigte Mailadresse. Bitten Sie einen Administrator, Ihre zu bestätigen.',
  'You have signed out. Please sign in again.': 'Sie haben sich abgemeldet. Bitte melden Sie sich wieder an.',
  'You named yourself as approver, so you cannot decide; somebody else has to name you.':
    'Sie haben sich selbst als Genehmiger eingetragen, also können Sie nicht entscheiden; jemand anders muss Sie eintragen.',
  'Your account has no confirmed mail address. Please ask your administrator to invite you by mail.':
    'Ihr Konto hat keine bestätigte Mailadresse. Bitte lassen Sie sich von Ihrem Administrator per Mail einladen.',
  'Your account is disabled. Please ask an administrator.': 'Ihr Konto ist deaktiviert. Bitte fragen Sie einen Administrator.',
  'Your call back request has been received, but nobody could be notified by mail. A call may take longer than 15 minutes.':
    'Ihre Bitte um Rückruf ist eingegangen, aber niemand konnte per Mail benachrichtigt werden. Ein Anruf kann länger als 15 Minuten dauern.',
  'Your call back request has been received. You should receive a call within the next 15 minutes.':
    'Ihre Bitte um Rückruf ist eingegangen. Sie sollten innerhalb der nächsten 15 Minuten angerufen werden.',
  'Your sign-in has expired. Please sign in again.': 'Ihre Anmeldung ist abgelaufen. Bitte melden Sie sich wieder an.',
};

/** The same of messages with values in them: `{1}` is the first value of the English text. */
export const serverForms: Readonly<Record<string, string>> = {
  'The priority "{1}" has no counterpart: {2}.': 'Für die Priorität „{1}“ gibt es keine Entsprechung: {2}.',
  'The state "{1}" has no counterpart: {2}.': 'Für den Status „{1}“ gibt es keine Entsprechung: {2}.',
  '#{1} is a change request, which has approvals of its own. Link it instead.':
    '#{1} ist ein Änderungsantrag mit eigenen Genehmigungen. Verknüpfen Sie ihn stattdessen.',
  '#{1} is merged into another work unit already. Take it apart first.':
    '#{1} ist schon mit einem anderen Vorgang zusammengeführt. Trennen Sie ihn zuerst.',
  '#{1} is of another tenant. Only work units of one tenant are merged.':
    '#{1} gehört zu einem anderen Mandanten. Nur Vorgänge eines Mandanten werden zusammengeführt.',
  'An object of the body has more than {1} properties.': 'Ein Objekt des Inhalts hat mehr als {1} Eigenschaften.',
  'Policies give this package or its operations to devices: {1}. Take it out of them first.':
    'Richtlinien geben dieses Paket oder dessen Aufgaben an Geräte: {1}. Nehmen Sie es zuerst aus diesen heraus.',
  'The body nests deeper than {1} levels.': 'Der Inhalt ist tiefer als {1} Ebenen verschachtelt.',
  '{{1}} is no placeholder. Use {2}.': '{{1}} ist kein Platzhalter. Benutzen Sie {2}.',
  '${1} applies to a list, and this address is one row. Leave it out.':
    '${1} gilt für eine Liste, und diese Adresse ist eine Zeile. Lassen Sie es weg.',
  'A New work unit can only become Acknowledged or Canceled, not {1}.':
    'Ein Vorgang in New kann nur Acknowledged oder Canceled werden, nicht {1}.',
  'A batch has at most {1} calls.': 'Ein Stapel hat höchstens {1} Aufrufe.',
  'A built-in action cannot be {1}.': 'Eine mitgelieferte Aktion kann nicht geändert oder gelöscht werden ({1}).',
  'A bulk edit has at most {1} rows.': 'Eine Massenänderung hat höchstens {1} Zeilen.',
  'A chain of dependencies has at most {1} devices.': 'Eine Kette von Abhängigkeiten hat höchstens {1} Geräte.',
  'A configuration has no part {1}. Remove it from the document.':
    'Eine Konfiguration hat keinen Teil {1}. Entfernen Sie ihn aus dem Dokument.',
  'A grant to the group {1} exists. Choose another prefix.': 'Für die Gruppe {1} gibt es eine Berechtigung. Wählen Sie ein anderes Präfix.',
  'A link lasts at most {1} days.': 'Ein Link gilt höchstens {1} Tage.',
  'A maintenance lasts at most {1} days. For what recurs, make a rule of type Maintenance.':
    'Eine Wartung dauert höchstens {1} Tage. Legen Sie für Wiederkehrendes eine Regel der Art Maintenance an.',
  'A new version of this policy is going out by the campaign {1}. Wait for its end, or stop it.':
    'Eine neue Version dieser Richtlinie wird gerade durch die Kampagne {1} eingeführt. Warten Sie, bis sie endet, oder stoppen Sie sie.',
  'A new version of this rule is coming into force by the campaign {1}. Wait for its end, or stop it.':
    'Eine neue Version dieser Regel wird gerade durch die Kampagne {1} eingeführt. Warten Sie, bis sie endet, oder stoppen Sie sie.',
  'A patch has at most {1} operations.': 'Ein Patch hat höchstens {1} Operationen.',
  'A quotation mark is not closed (line {1}). Close it, or write it twice.':
    'Ein Anführungszeichen ist nicht geschlossen (Zeile {1}). Schließen Sie es, oder schreiben Sie es doppelt.',
  'A report has at most {1} days.': 'Ein Bericht hat höchstens {1} Tage.',
  'A request takes at most {1} files. Please put several into a zip.':
    'Eine Anfrage nimmt höchstens {1} Dateien. Bitte packen Sie mehrere in ein ZIP.',
  'A rollout has at most {1} devices. Make a policy for each tenant.':
    'Eine Einführung hat höchstens {1} Geräte. Legen Sie für jeden Mandanten eine Richtlinie an.',
  'A row of {1} is never deleted, so it stays.': 'Eine Zeile von {1} wird nie gelöscht, also bleibt sie.',
  'A status has at most {1} pieces of evidence.': 'Ein Status hat höchstens {1} Belege.',
  'A subscription to {1} belongs to one tenant. Please choose it.':
    'Ein Abonnement für {1} gehört zu einem Mandanten. Bitte wählen Sie ihn.',
  'A template has no {1}. Remove this part from the document.': 'Eine Vorlage hat kein {1}. Entfernen Sie diesen Teil aus dem Dokument.',
  'A tenant has at most {1} contacts. Please delete some, or use one address of a list.':
    'Ein Mandant hat höchstens {1} Kontakte. Bitte löschen Sie einige, oder benutzen Sie eine Adresse eines Verteilers.',
  'A work unit has at most {1} files. Please put several into a zip.':
    'Ein Vorgang hat höchstens {1} Dateien. Bitte packen Sie mehrere in ein ZIP.',
  'A {1} is for a tenant or for a group of tenants. Clear one of the two.':
    '{1}: für einen Mandanten oder für eine Gruppe von Mandanten. Leeren Sie eines von beiden.',
  'An exception for {1} has no {2}. Clear it, or make one for {3}.':
    'Eine Ausnahme für {1} hat kein {2}. Leeren Sie es, oder legen Sie eine für {3} an.',
  'An exception for {1} is of one tenant. Choose that instead of the group.':
    'Eine Ausnahme für {1} gehört zu einem Mandanten. Wählen Sie ihn statt der Gruppe.',
  'An exception for {1} needs the field {2}.': 'Eine Ausnahme für {1} braucht das Feld {2}.',
  'An export expands relations to one row only, and {1} has many.':
    'Ein Export erweitert nur Beziehungen zu einer Zeile, und {1} hat viele.',
  'An override lasts at most {1} days.': 'Eine Vertretung dauert höchstens {1} Tage.',
  'At most {1} browsers get push messages. End one that you do not use any more.':
    'Höchstens {1} Browser bekommen Push-Nachrichten. Beenden Sie einen, den Sie nicht mehr benutzen.',
  'At most {1} days.': 'Höchstens {1} Tage.',
  'At most {1} messages in ten minutes. Please wait, or ask to be called.':
    'Höchstens {1} Nachrichten in zehn Minuten. Bitte warten Sie, oder bitten Sie um einen Anruf.',
  'At most {1} tests a minute. Wait a moment.': 'Höchstens {1} Tests in der Minute. Warten Sie einen Moment.',
  'Call {1} depends on {2}, which is not a call or group before it in the batch.':
    'Der Aufruf {1} hängt von {2} ab, das davor im Stapel weder Aufruf noch Gruppe ist.',
  'Changes are frozen from {1} to {2} ({3}). Plan this one at another time, or let somebody override its approval.':
    'Änderungen sind von {1} bis {2} gesperrt ({3}). Planen Sie diese für eine andere Zeit, oder lassen Sie jemanden ihre Genehmigung übergehen.',
  'Choose a day of the month from 1 to {1}.': 'Wählen Sie einen Tag des Monats von 1 bis {1}.',
  'Choose the tenant to which the {1} belongs.': 'Wählen Sie den Mandanten, zu dem {1} gehört.',
  '{1} is being offboarded. Stop its offboarding to change anything of it.':
    '{1} wird gerade aufgelöst. Brechen Sie das ab, um dort etwas zu ändern.',
  'Could not delete {1} because it has operations assigned to it.': '{1} konnte nicht gelöscht werden, weil dazu noch Aufgaben gehören.',
  'Duplicate of #{1}.': 'Duplikat von #{1}.',
  'Each row of a bulk edit names its {1}.': 'Jede Zeile einer Massenänderung nennt {1}.',
  'Enabled operations of this device need {1}: {2}. Disable them, or send disableOperations: true to disable them with it.':
    'Aktive Aufgaben dieses Geräts brauchen {1}: {2}. Deaktivieren Sie sie, oder senden Sie disableOperations: true, um sie mit zu deaktivieren.',
  'Here a token lasts at most {1}.': 'Hier gilt ein Token höchstens {1}.',
  'It is the runbook of the rules {1}. Please choose another one there first, or retire it.':
    'Es ist das Runbook der Regeln {1}. Bitte wählen Sie dort zuerst ein anderes, oder ziehen Sie es zurück.',
  'It takes {1}.': 'Sie nimmt {1}.',
  'It was changed after that: {1}. Restore it from its own history.':
    'Es wurde danach geändert: {1}. Stellen Sie es aus seinem eigenen Verlauf wieder her.',
  'Line {1} has the same {2}. Remove one of them.': 'Die Zeile {1} hat denselben Wert: {2}. Entfernen Sie eine davon.',
  'Line {1} is longer than a million characters. A quotation mark may be missing.':
    'Die Zeile {1} ist länger als eine Million Zeichen. Vielleicht fehlt ein Anführungszeichen.',
  'Lines are recognized by one of {1}.': 'Zeilen werden an einem davon erkannt: {1}.',
  'Name the {1} that the rule looks at.': 'Nennen Sie, worauf die Regel sieht: {1}.',
  'Nobody is on call in {1} now.': 'In {1} hat jetzt niemand Bereitschaft.',
  'One call answers at most {1} buckets, and {2} series have {3}. Please ask for fewer points.':
    'Ein Aufruf beantwortet höchstens {1} Werte, und {2} Reihen haben {3}. Bitte fragen Sie nach weniger Punkten.',
  'One call answers at most {1} series. Please narrow the filter or ask in several calls.':
    'Ein Aufruf beantwortet höchstens {1} Reihen. Bitte engen Sie den Filter ein, oder fragen Sie in mehreren Aufrufen.',
  'Only a person who may edit the tenant may name its secrets in {1}.':
    'Nur wer den Mandanten bearbeiten darf, darf seine Geheimnisse nennen ({1}).',
  'Only {1} decides with whom this dashboard is shared.': 'Nur {1} entscheidet, mit wem dieses Dashboard geteilt wird.',
  'Only {1}, who added {2}, or a person who may delete work units can delete it.':
    'Nur {1}, von wem {2} stammt, oder wer Vorgänge löschen darf, kann die Datei löschen.',
  'Operations need the permission {1}.': 'Aufgaben brauchen die Berechtigung {1}.',
  'Paste {1} in base64.': 'Fügen Sie {1} in Base64 ein.',
  'People of the directory {1} have rights in its tenants only. Choose one of them, or add the tenant to the directory.':
    'Personen des Verzeichnisses {1} haben nur in dessen Mandanten Rechte. Wählen Sie einen davon, oder fügen Sie den Mandanten dem Verzeichnis hinzu.',
  'People sign in at {1}. They appear here after their first sign-in; give their group access before.':
    'Personen melden sich bei {1} an. Hier erscheinen sie nach ihrer ersten Anmeldung; geben Sie vorher ihrer Gruppe Zugriff.',
  'Please choose a time in the next {1} days.': 'Bitte wählen Sie eine Zeit in den nächsten {1} Tagen.',
  'Please enter the name of the device to confirm: {1}.': 'Bitte geben Sie zur Bestätigung den Namen des Geräts ein: {1}.',
  'Please enter the name of the tenant to confirm: {1}.': 'Bitte geben Sie zur Bestätigung den Namen des Mandanten ein: {1}.',
  'Please enter the secret of the tenant in which the signing secret of {1} is stored.':
    'Bitte geben Sie das Geheimnis des Mandanten ein, in dem das Signaturgeheimnis von {1} gespeichert ist.',
  'Please enter the secret of the tenant in which the token of {1} is stored.':
    'Bitte geben Sie das Geheimnis des Mandanten ein, in dem der Token von {1} gespeichert ist.',
  'Protocols cannot run the action {1}. Choose another one.': 'Ablaufpläne können die Aktion {1} nicht ausführen. Wählen Sie eine andere.',
  'Rows of {1} are not created with this one; create them after it at /v1/{2}.':
    'Zeilen von {1} werden nicht mit dieser angelegt; legen Sie sie danach unter /v1/{2} an.',
  'Rows of {1} have no names. Remove them from the document.': 'Zeilen von {1} haben keine Namen. Entfernen Sie sie aus dem Dokument.',
  'Rules cannot run the action {1}. Choose another one.': 'Regeln können die Aktion {1} nicht ausführen. Wählen Sie eine andere.',
  "Send {1} as text in base64, not as a file: with curl, -F '{2}=<package.zip.sig'.":
    "Senden Sie {1} als Text in Base64, nicht als Datei: mit curl durch -F '{2}=<package.zip.sig'.",
  'Several sources are named {1}. Give them names of their own, or set the parameter to the id of one.':
    'Mehrere Quellen heißen {1}. Geben Sie ihnen verschiedene Namen, oder setzen Sie den Parameter auf die ID einer davon.',
  'Several {1} have this {2}. Choose another column to recognize them by.':
    'Mehrere haben denselben Wert ({1}: {2}). Wählen Sie eine andere Spalte, an der sie erkannt werden.',
  'Severity is one of {1}.': 'Der Schweregrad ist einer von {1}.',
  'Sharing a view with everybody needs the permission {1} in this tenant.':
    'Um eine Ansicht mit allen zu teilen, brauchen Sie die Berechtigung {1} in diesem Mandanten.',
  'The access token is not valid: {1}.': 'Der Zugriffstoken ist nicht gültig: {1}.',
  'The action {1} is used by {2}. Remove it there first.': 'Die Aktion {1} wird von {2} benutzt. Entfernen Sie sie dort zuerst.',
  'The action {1} sends SMS to people already. Switch that off there first.':
    'Die Aktion {1} sendet Personen schon SMS. Schalten Sie das dort zuerst aus.',
  'The address is longer than {1} characters.': 'Die Adresse ist länger als {1} Zeichen.',
  'The address {1} is not public and the allow list (OUTBOUND_ALLOW of the server) does not name it.':
    'Die Adresse {1} ist nicht öffentlich, und die Liste erlaubter Adressen (OUTBOUND_ALLOW des Servers) nennt sie nicht.',
  'The address {1} must never be reached.': 'Die Adresse {1} darf niemals erreicht werden.',
  'The batch cannot be read: {1}.': 'Der Stapel kann nicht gelesen werden: {1}.',
  'The body has more than {1} bytes when it is unpacked.': 'Der Inhalt hat entpackt mehr als {1} Bytes.',
  'The body has more than {1} values.': 'Der Inhalt hat mehr als {1} Werte.',
  'The body is not {1} as Content-Encoding says, or not the whole of it.':
    'Der Inhalt ist nicht {1}, wie Content-Encoding sagt, oder nicht vollständig.',
  'The body is too large: it may have {1} MiB here.': 'Der Inhalt ist zu groß: Hier sind höchstens {1} MiB möglich.',
  'The calendar "{1}" is for all tenants. Change it at the calendar itself.':
    'Der Kalender „{1}“ gilt für alle Mandanten. Ändern Sie ihn am Kalender selbst.',
  'The control set {1} is being imported by somebody else. Please try again.':
    'Der Kontrollsatz {1} wird gerade von jemand anderem importiert. Bitte versuchen Sie es noch einmal.',
  "The current value '{1}' at path '{2}' is not equal to the test value '{3}'.":
    "Der jetzige Wert '{1}' unter dem Pfad '{2}' ist nicht der geprüfte Wert '{3}'.",
  'The dashboard {1} was made by {2}, who lets others only see it. Make a copy to change it.':
    'Das Dashboard {1} stammt von {2} und kann von anderen nur gesehen werden. Legen Sie eine Kopie an, um es zu ändern.',
  'The dates of "{1}" can be read in two ways. Say whether the day or the month is first.':
    'Die Daten von „{1}“ können auf zwei Arten gelesen werden. Sagen Sie, ob der Tag oder der Monat zuerst kommt.',
  'The deletion is at most {1} days ahead.': 'Die Löschung liegt höchstens {1} Tage in der Zukunft.',
  'The device {1} is missing here, and its tenant has {2} subscriptions. Create the device first.':
    'Das Gerät {1} fehlt hier, und sein Mandant hat {2} Abonnements. Legen Sie zuerst das Gerät an.',
  'The device {1} is missing here, and so is its subscription {2}. Create the subscription first.':
    'Das Gerät {1} fehlt hier, und sein Abonnement {2} auch. Legen Sie zuerst das Abonnement an.',
  'The directory {1} has the mail domain {2} already.': 'Das Verzeichnis {1} hat die Mail-Domäne {2} schon.',
  'The directory {1} has this {2} already.': 'Das Verzeichnis {1} hat schon dasselbe: {2}.',
  'The encoding {1} is not read here; there are {2}.': 'Die Kodierung {1} wird hier nicht gelesen; es gibt {2}.',
  'The fault still holds: the rule {1} matched {2} ago{3}.': 'Die Störung besteht noch: Die Regel {1} traf vor {2} zu{3}.',
  'The file has no column for {1}. Say in "columns" which one it is.':
    'Die Datei hat keine Spalte für {1}. Sagen Sie in „columns“, welche es ist.',
  'The file has {1} bytes.': 'Die Datei hat {1} Bytes.',
  'The file is larger than {1} MiB.': 'Die Datei ist größer als {1} MiB.',
  'The filter matches {1} devices; a campaign has at most {2}.': 'Der Filter trifft auf {1} Geräte zu; eine Kampagne hat höchstens {2}.',
  'The filter matches {1} devices; a maintenance has at most {2}.': 'Der Filter trifft auf {1} Geräte zu; eine Wartung hat höchstens {2}.',
  'The group {1} has nobody with rights in this tenant.': 'In der Gruppe {1} hat niemand Rechte in diesem Mandanten.',
  'The identity provider gives {1} as its address. Set OIDC_AUTHORITY to the same text.':
    'Der Identitätsanbieter nennt {1} als seine Adresse. Setzen Sie OIDC_AUTHORITY auf denselben Text.',
  'The mailbox {1} has this address.': 'Das Postfach {1} hat diese Adresse.',
  'The operation names no source: set its parameter {1} to the name of one.':
    'Die Aufgabe nennt keine Quelle: Setzen Sie ihren Parameter {1} auf den Namen einer Quelle.',
  'The operation of {1} was not found.': 'Die Aufgabe von {1} wurde nicht gefunden.',
  'The package {1} of this template is not in the catalogue yet. Try again in a minute.':
    'Das Softwarepaket {1} dieser Vorlage ist noch nicht im Katalog. Versuchen Sie es in einer Minute noch einmal.',
  'The package {1} was just deleted. Please try again.': 'Das Softwarepaket {1} wurde gerade gelöscht. Bitte versuchen Sie es noch einmal.',
  'The part {1} is not known; files are file-1, file-2 ...': 'Der Teil {1} ist nicht bekannt; Dateien heißen file-1, file-2 ...',
  "The patch operation {1} at '{2}' does not fit the row.": "Die Operation {1} unter '{2}' passt nicht zur Zeile.",
  "The patch operation {1} at '{2}' needs a value.": "Die Operation {1} unter '{2}' braucht einen Wert.",
  'The patch operation {1} is not allowed; use test, replace, add or remove.':
    'Die Operation {1} eines Patches ist nicht erlaubt; benutzen Sie test, replace, add oder remove.',
  "The path '{1}' must start with a slash, as '/{2}'.": "Der Pfad '{1}' muss mit einem Schrägstrich beginnen, also '/{2}'.",
  'The person who is on call in {1} is disabled or has no rights in this tenant any more.':
    'Wer in {1} Bereitschaft hat, ist deaktiviert oder hat in diesem Mandanten keine Rechte mehr.',
  'The photo has {1} x {2} pixels; at most {3} x {4} are taken.': 'Das Foto hat {1} x {2} Pixel; höchstens {3} x {4} sind möglich.',
  'The photo is larger than {1} MiB.': 'Das Foto ist größer als {1} MiB.',
  'The protocol {1} is used by {2}. Remove it there first.': 'Der Ablaufplan {1} wird von {2} benutzt. Entfernen Sie ihn dort zuerst.',
  'The receiver answered {1}.': 'Der Empfänger hat mit {1} geantwortet.',
  'The rule has no constant {1}. It has {2}.': 'Die Regel hat keine Konstante {1}. Sie hat {2}.',
  'The rule {1} cannot be joined, because of its field {2}: copies are of one tenant each, and differ only in constants, lifetime, severity and whether they are enabled.':
    'Die Regel {1} kann wegen ihres Feldes {2} nicht zusammengefasst werden: Kopien gehören je einem Mandanten und unterscheiden sich nur in Konstanten, Lebensdauer, Schweregrad und darin, ob sie aktiv sind.',
  'The schedule {1} is used by the protocol {2}{3}. Remove it there first.':
    'Der Bereitschaftsplan {1} wird vom Ablaufplan {2}{3} benutzt. Entfernen Sie ihn dort zuerst.',
  'The secret {1} may be sent only to {2}, and not by mail.': 'Das Geheimnis {1} darf nur an {2} gesendet werden, und nicht per Mail.',
  'The secret {1} may be sent only to {2}, and not to {3}.': 'Das Geheimnis {1} darf nur an {2} gesendet werden, und nicht an {3}.',
  'The secret {1} may be used only by the actions it names, and this is not one of them.':
    'Das Geheimnis {1} darf nur von den Aktionen benutzt werden, die es nennt, und diese ist keine davon.',
  'The service level {1} is for the same tenant, type, category and severity. Change it, or choose others here.':
    'Der Servicelevel {1} gilt für denselben Mandanten, dieselbe Art, Kategorie und denselben Schweregrad. Ändern Sie ihn, oder wählen Sie hier andere.',
  'The signature is not an Ed25519 signature in base64: it has {1} bytes instead of {2}.':
    'Die Signatur ist keine Ed25519-Signatur in Base64: Sie hat {1} Bytes statt {2}.',
  'The source {1} is disabled. Enable it on the page Sources.': 'Die Quelle {1} ist deaktiviert. Aktivieren Sie sie auf der Seite Quellen.',
  'The source {1} is not one of those that listeners give items to: {2}.':
    'Die Quelle {1} gehört nicht zu denen, die Einträge von Empfängern auf Geräten nehmen: {2}.',
  'The template has nothing at {1}. Name places of the preview, as rules[3].':
    'Die Vorlage hat nichts bei {1}. Nennen Sie Stellen der Vorschau, wie rules[3].',
  'The template asks for {1}, and not for {2}.': 'Die Vorlage fragt nach {1}, und nicht nach {2}.',
  'The tenant has no secret {1}. Please create it on the page of the tenant first.':
    'Der Mandant hat kein Geheimnis {1}. Bitte legen Sie es zuerst auf der Seite des Mandanten an.',
  'The tenant has {1} already: please replace the text there.': 'Der Mandant hat {1} schon: Bitte ersetzen Sie dort den Text.',
  'The tenant of the rule {1} is not in the group. Choose another group.':
    'Der Mandant der Regel {1} ist nicht in der Gruppe. Wählen Sie eine andere Gruppe.',
  'The tenant {1} is disabled.': 'Der Mandant {1} ist deaktiviert.',
  'The tenant {1} is disabled. Please ask an administrator of this installation.':
    'Der Mandant {1} ist deaktiviert. Bitte fragen Sie einen Administrator dieser Installation.',
  'The trap {1} needs its ENTERPRISE and a number, such as ::= 3.': 'Der Trap {1} braucht sein ENTERPRISE und eine Nummer, etwa ::= 3.',
  'The value of {1} is not an object and a number, such as { system 3 }.':
    'Der Wert von {1} ist nicht ein Objekt und eine Nummer, etwa { system 3 }.',
  'The version of {1} was not found.': 'Die Version von {1} wurde nicht gefunden.',
  'The view {1} belongs to {2}. Save a view of your own.': 'Die Ansicht {1} gehört {2}. Speichern Sie eine eigene.',
  'The week of {1} was signed off by {2}. Reopen it to change it.':
    'Die Woche vom {1} hat {2} abgezeichnet. Öffnen Sie sie wieder, um sie zu ändern.',
  'The work unit is {1} now; this action belongs to the event {2}.': 'Der Vorgang ist jetzt {1}; diese Aktion gehört zum Ereignis {2}.',
  'The {1} belongs to another tenant than the test.': '{1} gehört zu einem anderen Mandanten als der Test.',
  'The {1} {2} is for this selection and for other tenants.': '{1} {2} gilt für diese Geräteauswahl und für andere Mandanten.',
  'There are several {1} "{2}". Write the id of one of them.': 'Es gibt mehrere {1} „{2}“. Schreiben Sie die ID eines davon.',
  'There are {1} open invitations. Withdraw some of them first.': 'Es gibt {1} offene Einladungen. Ziehen Sie zuerst einige davon zurück.',
  'There is already a {1} with this {2}.': '{1}: Diesen Wert ({2}) gibt es schon.',
  'There is no device, device operation or block {1}.': 'Es gibt kein Gerät, keine Aufgabe und keinen Baustein {1}.',
  'There is no source {1} in the tenant.': 'Im Mandanten gibt es keine Quelle {1}.',
  'There is no source {1} in the tenant. Make it on the page Sources, or correct the parameter {2}.':
    'Im Mandanten gibt es keine Quelle {1}. Legen Sie sie auf der Seite Quellen an, oder berichtigen Sie den Parameter {2}.',
  'There is no time zone "{1}". Write one such as Europe/Berlin.': 'Es gibt keine Zeitzone „{1}“. Schreiben Sie eine wie Europe/Berlin.',
  'There is no working calendar "{1}" in this tenant. Create it first, or correct the name.':
    'In diesem Mandanten gibt es keinen Arbeitskalender „{1}“. Legen Sie ihn zuerst an, oder berichtigen Sie den Namen.',
  'There is no {1} "{2}" in this tenant. Create it first, or correct the name.':
    'In diesem Mandanten gibt es kein {1} „{2}“. Legen Sie es zuerst an, oder berichtigen Sie den Namen.',
  'There is no {1} here; {2}.': 'Hier gibt es kein {1}; {2}.',
  'These files are of {1} and of {2}. Import one product after the other.':
    'Diese Dateien sind von {1} und von {2}. Importieren Sie ein Produkt nach dem anderen.',
  'These files have more than {1} things. Choose fewer of them.': 'Diese Dateien enthalten mehr als {1} Dinge. Wählen Sie weniger davon.',
  'These rules would wait for each other: {1}.': 'Diese Regeln würden aufeinander warten: {1}.',
  'This Change Request cannot become {1} before {2} approved it.':
    'Dieser Änderungsantrag kann nicht {1} werden, bevor {2} ihn genehmigt hat.',
  'This action belongs to the event {1}.': 'Diese Aktion gehört zum Ereignis {1}.',
  'This action has already been {1} for this work unit and is not repeatable.':
    'Diese Aktion wurde für diesen Vorgang schon erledigt ({1}) und ist nicht wiederholbar.',
  'This call answers as {1} only. Allow that in the Accept header.':
    'Dieser Aufruf antwortet nur als {1}. Erlauben Sie das in der Kopfzeile Accept.',
  'This call is for tokens with the scope {1}, not for people.': 'Dieser Aufruf ist für Tokens mit dem Bereich {1}, nicht für Personen.',
  'This call needs a token with the scope {1}.': 'Dieser Aufruf braucht einen Token mit dem Bereich {1}.',
  'This call takes {1}.': 'Dieser Aufruf nimmt {1}.',
  'This execution has ended: {1}.': 'Diese Ausführung ist beendet: {1}.',
  'This handover was more than {1} hours ago; its note stays as it is.':
    'Diese Übergabe ist mehr als {1} Stunden her; ihre Notiz bleibt, wie sie ist.',
  'This is not a CSV: it cannot be read{1}.': 'Das ist keine CSV-Datei: Sie kann nicht gelesen werden{1}.',
  'This is the key of {1}, who is trusted already.': 'Das ist der Schlüssel von {1}, dem schon vertraut wird.',
  'This line is of another tenant ("{1}"). Choose that tenant, and import its lines there.':
    'Diese Zeile gehört zu einem anderen Mandanten („{1}“). Wählen Sie diesen, und importieren Sie seine Zeilen dort.',
  'This link does not show anything at the address {1}. It is for certain networks only.':
    'Dieser Link zeigt unter der Adresse {1} nichts. Er gilt nur für bestimmte Netze.',
  'This import takes longer than {1} seconds, and others wait for rows that it has changed. Nothing was imported; import it row by row (`partly`), which holds nobody.':
    'Dieser Import dauert länger als {1} Sekunden, und andere warten auf Zeilen, die er geändert hat. Nichts wurde importiert; importieren Sie ihn zeilenweise (`partly`), was niemanden aufhält.',
  'This import takes longer than {1} seconds. Nothing was imported; import it row by row (`partly`), or in parts.':
    'Dieser Import dauert länger als {1} Sekunden. Nichts wurde importiert; importieren Sie ihn zeilenweise (`partly`) oder in Teilen.',
  'This import takes longer than {1} seconds. The rows before it were imported; import the others again.':
    'Dieser Import dauert länger als {1} Sekunden. Die Zeilen davor wurden importiert; importieren Sie die anderen noch einmal.',
  'This operation runs {1} only.': 'Diese Aufgabe läuft nur so: {1}.',
  'This request made more than {1} changes. Restore its rows one by one.':
    'Diese Anfrage hat mehr als {1} Änderungen gemacht. Stellen Sie ihre Zeilen einzeln wieder her.',
  'This signature belongs to no file. Send file-{1} too, or leave the signature out.':
    'Diese Signatur gehört zu keiner Datei. Senden Sie auch file-{1}, oder lassen Sie die Signatur weg.',
  'This table has more than {1} lines. Import it in parts.': 'Diese Tabelle hat mehr als {1} Zeilen. Importieren Sie sie in Teilen.',
  'This takes longer than {1} seconds for {2} rows. None of them was restored; restore them one by one.':
    'Das dauert länger als {1} Sekunden für {2} Zeilen. Keine davon wurde wiederhergestellt; stellen Sie sie einzeln wieder her.',
  'This tenant has no custom field {1}.': 'Dieser Mandant hat kein eigenes Feld {1}.',
  'This tenant has no {1} with this id. Leave the column out to add the row.':
    'Dieser Mandant hat kein {1} mit dieser ID. Lassen Sie die Spalte weg, um die Zeile hinzuzufügen.',
  'This token may not be used from {1}.': 'Dieser Token darf von {1} aus nicht benutzt werden.',
  'This week was opened again by {1} already.': 'Diese Woche hat {1} schon wieder geöffnet.',
  'This week was signed off by {1} already.': 'Diese Woche hat {1} schon abgezeichnet.',
  'This would leave {1} without an administrator of its own. Give somebody else Administrator there first.':
    'Damit hätte {1} keinen eigenen Administrator mehr. Geben Sie zuerst jemand anderem dort Administrator.',
  'This {1} cannot be deleted while something else uses it.': '{1} kann nicht gelöscht werden, solange etwas anderes es benutzt.',
  'This {1} is managed in Git, in the folder {2}: edit it there, and apply the folder.':
    '{1} wird in Git verwaltet, im Ordner {2}: Ändern Sie es dort, und wenden Sie den Ordner an.',
  'This {1} is managed in Git, in {2}/{3}: edit it there, and apply the folder.':
    '{1} wird in Git verwaltet, in {2}/{3}: Ändern Sie es dort, und wenden Sie den Ordner an.',
  'Too many requests at once: {1} lists run and {2} wait. Please try again.':
    'Zu viele Anfragen auf einmal: {1} Listen laufen und {2} warten. Bitte versuchen Sie es noch einmal.',
  'Too many requests at once: {1}, and then {2} a second, are possible here. Please wait a moment and try again.':
    'Zu viele Anfragen auf einmal: Hier sind {1} und danach {2} in der Sekunde möglich. Bitte warten Sie einen Moment, und versuchen Sie es noch einmal.',
  'Too many requests: {1} within {2} are possible. Please try again later.':
    'Zu viele Anfragen: Möglich sind {1} in {2}. Bitte versuchen Sie es später noch einmal.',
  'Two columns of the file are read as "{1}". Choose one of them.':
    'Zwei Spalten der Datei werden als „{1}“ gelesen. Wählen Sie eine davon.',
  'Two rows of this installation have the same {1}. Change one of them first.':
    'Zwei Zeilen dieser Installation haben denselben Wert: {1}. Ändern Sie zuerst eine davon.',
  'Unknown entity {1}. Send the name of an entity, such as devices.':
    'Unbekannte Art {1}. Senden Sie den Namen einer Art, zum Beispiel devices.',
  'Version was not found in {1} for this device.': 'Die Version von {1} wurde für dieses Gerät nicht gefunden.',
  'Version {1} cannot be deleted while devices have it or should have it.':
    'Die Version {1} kann nicht gelöscht werden, solange Geräte sie haben oder haben sollen.',
  'Version {1} comes with the server and cannot be deleted.': 'Die Version {1} gehört zum Server und kann nicht gelöscht werden.',
  'Work unit #{1} is {2} already.': 'Der Vorgang #{1} ist schon {2}.',
  'Work unit {1} was not found.': 'Der Vorgang {1} wurde nicht gefunden.',
  'You are not a member of the group {1}.': 'Sie gehören nicht zur Gruppe {1}.',
  'You cannot {1} permissions that you do not hold: {2}.':
    'Berechtigungen, die Sie selbst nicht haben, können Sie nicht vergeben oder ändern ({1}): {2}.',
  'You do not have the permission {1} in this tenant.': 'Sie haben in diesem Mandanten die Berechtigung {1} nicht.',
  'You do not have the permission {1} there.': 'Sie haben dort die Berechtigung {1} nicht.',
  'You do not have the permission {1}.': 'Sie haben die Berechtigung {1} nicht.',
  'You do not have the permission {1}{2}.': 'Sie haben die Berechtigung {1} nicht{2}.',
  'You have a report {1} by mail already. Choose another name.':
    'Sie haben schon einen Bericht {1} per Mail. Wählen Sie einen anderen Namen.',
  'You have a view {1} of this list already.': 'Sie haben schon eine Ansicht {1} dieser Liste.',
  'You have {1} feeds, the most that one person can have. Remove one first.':
    'Sie haben {1} Feeds, mehr kann eine Person nicht haben. Entfernen Sie zuerst einen.',
  'You have {1} reports by mail, the most that one person can have. Delete one first.':
    'Sie haben {1} Berichte per Mail, mehr kann eine Person nicht haben. Löschen Sie zuerst einen.',
  'You have {1} views, the most that one person can have. Delete one first.':
    'Sie haben {1} Ansichten, mehr kann eine Person nicht haben. Löschen Sie zuerst eine.',
  'You see this as {1}: nothing can be changed.': 'Sie sehen das als {1}: Nichts kann geändert werden.',
  '{1} Another work unit opens{2} if it goes on.': '{1} Ein anderer Vorgang wird geöffnet{2}, wenn sie andauert.',
  '{1} Assign it to somebody else, or to nobody.': '{1} Weisen Sie ihn jemand anderem oder niemandem zu.',
  '{1} Gone: {2}.': '{1} Weg sind: {2}.',
  '{1} Nothing tells of it until the match ends.': '{1} Bis der Treffer endet, meldet nichts sie.',
  '{1} The work unit opens again{2} if it goes on.': '{1} Der Vorgang öffnet sich wieder{2}, wenn sie andauert.',
  '{1} added; the device had the others already.': '{1} hinzugefügt; die anderen hatte das Gerät schon.',
  '{1} are for this selection: {2}. Give them another selection first.':
    '{1} gelten für diese Geräteauswahl: {2}. Geben Sie ihnen zuerst eine andere.',
  '{1} belongs to another tenant.': '{1} gehört zu einem anderen Mandanten.',
  '{1} cannot be read: {2}. Choose the file as the other product wrote it.':
    '{1} kann nicht gelesen werden: {2}. Wählen Sie die Datei, wie das andere Produkt sie geschrieben hat.',
  '{1} cannot be set.': '{1} kann nicht gesetzt werden.',
  '{1} changed after the approval: {2} {3} to approve again.': '{1} wurde nach der Genehmigung geändert: {2} {3} noch einmal genehmigen.',
  '{1} comes with the product and stays as it is. Make a set of your own instead.':
    '{1} gehört zum Produkt und bleibt, wie es ist. Legen Sie stattdessen einen eigenen Satz an.',
  '{1} comes with the server and cannot be {2}.': '{1} gehört zum Server und kann nicht geändert oder gelöscht werden ({2}).',
  '{1} comes with the server, which updates it. Give your package another name.':
    '{1} gehört zum Server, der es aktualisiert. Geben Sie Ihrem Softwarepaket einen anderen Namen.',
  '{1} depends on {2} already.': '{1} hängt schon von {2} ab.',
  '{1} devices were not found in this tenant.': '{1} Geräte wurden in diesem Mandanten nicht gefunden.',
  '{1} does not run on demand.': '{1} läuft nicht auf Anforderung.',
  '{1} gets work units only.': '{1} bekommt nur Vorgänge.',
  '{1} hangs below {2}, which hangs below {3} itself, or has more than {4} numbers.':
    '{1} hängt unter {2}, das unter {3} selbst hängt, oder hat mehr als {4} Nummern.',
  '{1} hangs below {2}, which {3}.': '{1} hängt unter {2}, das fehlt: {3}.',
  '{1} has closed this call back already.': '{1} hat diesen Rückruf schon abgeschlossen.',
  '{1} has half of a character.': '{1} hat ein halbes Zeichen.',
  '{1} has no address.': '{1} hat keine Adresse.',
  '{1} has no column "{2}".': '{1} hat keine Spalte „{2}“.',
  "{1} has no field at path '{2}'.": "{1} hat kein Feld unter dem Pfad '{2}'.",
  '{1} has no field {2}.': '{1} hat kein Feld {2}.',
  '{1} has no value: ::= { ... } is missing.': '{1} hat keinen Wert: ::= { ... } fehlt.',
  '{1} has not reported {2}.': '{1} hat {2} nicht gemeldet.',
  '{1} has packages installed that the other tenant does not have.':
    'Auf {1} sind Softwarepakete installiert, die der andere Mandant nicht hat.',
  '{1} has taken this call back already.': '{1} hat diesen Rückruf schon übernommen.',
  '{1} invitations were sent within a day, the most that is possible. Invite further people tomorrow.':
    '{1} Einladungen wurden innerhalb eines Tages gesendet, mehr sind nicht möglich. Laden Sie weitere Personen morgen ein.',
  '{1} is a number, not "{2}".': '{1} ist eine Zahl, nicht „{2}“.',
  '{1} is being offboarded already.': '{1} wird schon aufgelöst.',
  '{1} is disabled and sees nothing.': '{1} ist deaktiviert und sieht nichts.',
  '{1} is disabled.': '{1} ist deaktiviert.',
  '{1} is empty.': '{1} ist leer.',
  '{1} is empty. By it a line is recognized as a new row or a change.':
    '{1} ist leer. Daran wird erkannt, ob eine Zeile neu ist oder etwas ändert.',
  '{1} is for all tenants, and a new customer must not change it. Remove it from the document.':
    '{1} gilt für alle Mandanten, und ein neuer Kunde darf es nicht ändern. Entfernen Sie es aus dem Dokument.',
  '{1} is in the policy twice. Give one of them another label.':
    '{1} steht doppelt in der Richtlinie. Geben Sie einem davon eine andere Bezeichnung.',
  '{1} is in the policy twice. Remove one of them.': '{1} steht doppelt in der Richtlinie. Entfernen Sie eines davon.',
  '{1} is invited already. Withdraw that invitation to send another one.':
    '{1} ist schon eingeladen. Ziehen Sie diese Einladung zurück, um eine neue zu senden.',
  '{1} is left out, but this row needs it.': '{1} ist weggelassen, aber diese Zeile braucht es.',
  '{1} is missing here. {2} it to another, or leave it out.':
    '{1} fehlt hier. Ordnen Sie es einem anderen zu ({2}), oder lassen Sie es weg.',
  '{1} is no enabled person here. Change the template, or invite them.':
    '{1} ist hier keine aktive Person. Ändern Sie die Vorlage, oder laden Sie sie ein.',
  '{1} is no image that can be shown: it is damaged or too large. Please check the file, or put it into a zip.':
    '{1} ist kein Bild, das gezeigt werden kann: Es ist beschädigt oder zu groß. Bitte prüfen Sie die Datei, oder packen Sie sie in ein ZIP.',
  '{1} is what the API answers to a call that it refuses: {2} Check key and address, and fetch it again.':
    '{1} ist, was die API auf einen abgelehnten Aufruf antwortet: {2} Prüfen Sie Schlüssel und Adresse, und holen Sie die Datei erneut.',
  '{1} is not JSON. Choose a configuration, or the answers of another product as its API gave them.':
    '{1} ist kein JSON. Wählen Sie eine Konfiguration, oder die Antworten eines anderen Produkts, wie seine API sie gab.',
  '{1} is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.':
    '{1} ist kein Netz wie 10.1.0.0/16, 2001:db8::/32 oder 192.0.2.7.',
  '{1} is not a permission.': '{1} ist keine Berechtigung.',
  '{1} is not a person with rights in this tenant.': '{1} hat in diesem Mandanten keine Rechte.',
  '{1} is not an address.': '{1} ist keine Adresse.',
  '{1} is not an operation of the source device.': '{1} ist keine Aufgabe des Quellgeräts.',
  '{1} is not offered here; this address takes {2}.': '{1} gibt es hier nicht; diese Adresse nimmt {2}.',
  '{1} is not supported here.': '{1} wird hier nicht unterstützt.',
  '{1} is not valid.': '{1} ist nicht gültig.',
  '{1} is not what its name says. Please check the file.': '{1} ist nicht, was der Name sagt. Bitte prüfen Sie die Datei.',
  '{1} is of a type that notes do not take; put it into a zip. They take: {2}.':
    '{1} ist von einer Art, die Notizen nicht aufnehmen; packen Sie die Datei in ein ZIP. Möglich sind: {2}.',
  '{1} is of another tenant than the rows before it. Remove it from the document.':
    '{1} gehört zu einem anderen Mandanten als die Zeilen davor. Entfernen Sie es aus dem Dokument.',
  '{1} is one of {2}.': '{1} ist eines von {2}.',
  '{1} is one of {2}{3}, not "{4}".': '{1} ist eines von {2}{3}, nicht „{4}“.',
  '{1} is required for a Change Request.': '{1} ist für einen Änderungsantrag erforderlich.',
  '{1} is too long.': '{1} ist zu lang.',
  '{1} is yes or no, not "{2}".': '{1} ist ja oder nein, nicht „{2}“.',
  '{1} is {2} by the address. Leave it out, or send this value.':
    '{1} ist durch die Adresse {2}. Lassen Sie es weg, oder senden Sie diesen Wert.',
  '{1} may not edit work units of this tenant.': '{1} darf Vorgänge dieses Mandanten nicht bearbeiten.',
  '{1} needs values: {2} Add it to one device with its values, and copy it from there.':
    '{1} braucht Werte: {2} Fügen Sie sie einem Gerät mit ihren Werten hinzu, und kopieren Sie sie von dort.',
  '{1} not found. Choose people of your tenants.': '{1} nicht gefunden. Wählen Sie Personen Ihrer Mandanten.',
  '{1} begins with https:// or http://, as https://www.example.com/.':
    '{1} beginnt mit https:// oder http://, wie https://www.example.com/.',
  '{1} is a name or an address without a port or https://, as www.example.com or 2001:db8::1.':
    '{1} ist ein Name oder eine Adresse ohne Port oder https://, wie www.example.com oder 2001:db8::1.',
  '{1} is a name or an address, with :port if it is not the usual one, as switch.example.com, 192.0.2.1:1161 or [2001:db8::1]:1161.':
    '{1} ist ein Name oder eine Adresse, mit :Port, falls er nicht der übliche ist, wie switch.example.com, 192.0.2.1:1161 oder [2001:db8::1]:1161.',
  '{1} is an address, with :port if it is not the usual one, as 192.0.2.53 or [2001:db8::53]:5353.':
    '{1} ist eine Adresse, mit :Port, falls er nicht der übliche ist, wie 192.0.2.53 oder [2001:db8::53]:5353.',
  '{1} is a whole number from 1 to 65535.': '{1} ist eine ganze Zahl von 1 bis 65535.',
  '{1} is a whole path, as /var/log/backup.log or C:/Logs/backup.log.':
    '{1} ist ein vollständiger Pfad, wie /var/log/backup.log oder C:/Logs/backup.log.',
  '{1} is no regular expression that can be read; put a backslash before a ( or [ that stands for itself.':
    '{1} ist kein lesbarer regulärer Ausdruck; setzen Sie einen umgekehrten Schrägstrich vor eine ( oder [, die für sich selbst steht.',
  '{1} is a number of hours above 0, as 26.': '{1} ist eine Zahl von Stunden über 0, wie 26.',
  '{1} is one line.': '{1} ist eine Zeile.',
  '{1} is missing. Enter it, as {2}.': '{1} fehlt. Geben Sie es ein, wie {2}.',
  '{1} has a {, which stands for something else. Leave it out.': '{1} enthält eine {, die für etwas anderes steht. Lassen Sie sie weg.',
  '{1} is not for the tenant of this device.': '{1} gilt nicht für den Mandanten dieses Geräts.',
  '{1} does not set this. Leave the thing out to except the device from all of the policy.':
    '{1} setzt das nicht. Lassen Sie den Eintrag weg, um das Gerät von der ganzen Richtlinie auszunehmen.',
  'This is excepted already: {1}. Change that exception.': 'Das ist schon ausgenommen: {1}. Ändern Sie diese Ausnahme.',
  'The device has nothing from {1}.': 'Das Gerät hat nichts von {1}.',
  '{1} are for this group: {2}. Give them other tenants first.':
    '{1} gelten für diese Gruppe: {2}. Geben Sie ihnen zuerst andere Mandanten.',
  '{1} is a status of HTTP or a range of them, as 200 or 200-399.': '{1} ist ein HTTP-Status oder ein Bereich davon, wie 200 oder 200-399.',
  '{1} is a number from {2} to {3}.': '{1} ist eine Zahl von {2} bis {3}.',
  '{1} is between {2} and {3}, so this would never open a unit. Choose another value.':
    '{1} liegt zwischen {2} und {3}, deshalb würde das nie einen Vorgang öffnen. Wählen Sie einen anderen Wert.',
  'The filter names {1}, which is not there. Take that condition out, or name another one.':
    'Der Filter nennt {1}, das es nicht gibt. Nehmen Sie diese Bedingung heraus, oder nennen Sie etwas anderes.',
  '{1} of one bulk edit have the same {2}.': '{1} einer Massenänderung haben denselben Wert: {2}.',
  '{1} on {2}: change what they depend on first.': '{1} auf {2}: Ändern Sie zuerst, wovon sie abhängen.',
  '{1} people belong to this directory. Disable it, which ends their access.':
    '{1} Personen gehören zu diesem Verzeichnis. Deaktivieren Sie es, das beendet ihren Zugriff.',
  '{1} people have signed in by this directory. Make another one for another provider.':
    '{1} Personen haben sich über dieses Verzeichnis angemeldet. Legen Sie für einen anderen Anbieter ein anderes an.',
  '{1} receives for other machines by its operation {2}: disable it first.':
    '{1} empfängt durch die Aufgabe {2} für andere Maschinen: Deaktivieren Sie sie zuerst.',
  '{1} rules were not found in this tenant.': '{1} Regeln wurden in diesem Mandanten nicht gefunden.',
  '{1} runs operations that the other tenant does not have.': '{1} führt Aufgaben aus, die der andere Mandant nicht hat.',
  '{1} runs {2} only.': '{1} läuft nur so: {2}.',
  '{1} selects devices of another tenant. Choose one of this tenant, or of all.':
    '{1} wählt Geräte eines anderen Mandanten. Wählen Sie eine dieses Mandanten, oder eine für alle.',
  '{1} tenants have no copy. Choose a group that has the tenants of the rules.':
    '{1} Mandanten haben keine Kopie. Wählen Sie eine Gruppe mit den Mandanten der Regeln.',
  '{1} was deleted by {2}.': '{1} wurde von {2} gelöscht.',
  '{1} was not found in this tenant.': '{1} wurde in diesem Mandanten nicht gefunden.',
  '{1} was removed.': '{1} wurde entfernt.',
  '{1} {2} names {3}. A template names no rows of an existing tenant: take it out, or make that one for all tenants.':
    '{1} {2} nennt {3}. Eine Vorlage nennt keine Zeilen eines vorhandenen Mandanten: Nehmen Sie es heraus, oder legen Sie es für alle Mandanten an.',
  '{1} {2} was installed.': '{1} {2} wurde installiert.',
  '{1}: this tenant takes only packages that a trusted publisher has signed; send the signature with it.':
    '{1}: Dieser Mandant nimmt nur Softwarepakete, die ein vertrauter Herausgeber signiert hat; senden Sie die Signatur mit.',
  '{1}: version {2} of {3} exists already.': '{1}: Die Version {2} von {3} gibt es schon.',
  '{1}; there are {2}.': '{1}; es gibt {2}.',
  '{1}@odata.bind is the address of one row, as {2}(...).': '{1}@odata.bind ist die Adresse einer Zeile, wie {2}(...).',
  '{1}{2} Rename one of each first.': '{1}{2} Benennen Sie zuerst je eines davon um.',
  '{1}{2} {3} at the matches of this rule: change {4} first.': '{1}{2} {3} auf die Treffer dieser Regel: Ändern Sie zuerst {4}.',
};
