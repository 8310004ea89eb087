/** The open report: in the address as its type and the public number of the communication. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { reportTypes } from '@cloudfit/contract/enums.ts';
import { communicationReport, type Report } from '@cloudfit/contract/communications/report.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { viewerZone } from '../../theme/times.ts';
import { usePersonName } from '../../api/people-names.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { fetchPage } from '../../rows/use-rows.ts';

export type ReportType = (typeof reportTypes)[number];
export type OpenReport = (type: ReportType, number: number) => void;

export function useOpenReport() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const type = reportTypes.find((reportType) => reportType === params.get('report'));
  const number = params.get('reportOf') ?? '';
  const open = useCallback<OpenReport>(
    (next, of) =>
      setAddress(
        (now) => {
          now.set('report', next);
          now.set('reportOf', String(of));
          return undefined;
        },
        { now: true },
      ),
    [setAddress],
  );
  const close = useCallback(
    () =>
      setAddress((now) => {
        now.delete('report');
        now.delete('reportOf');
        return undefined;
      }),
    [setAddress],
  );
  return { type, number: /^\d+$/.test(number) ? number : undefined, open, close };
}

/** A communication by its public number; undefined when there is none that the person may see. */
export function useCommunication<const Item extends ExpandItem<typeof workUnitCommunications>>(
  number: string | undefined,
  expand: readonly Item[],
  listed?: ExpandedRow<typeof workUnitCommunications, Item>,
) {
  const query = useQuery({
    queryKey: [workUnitCommunications.name, 'byPublicNumber', number, expand],
    queryFn: async ({ signal }) => {
      const filter = eq(workUnitCommunications, 'publicWorkUnitCommunicationId', number ?? null);
      return (await fetchPage(workUnitCommunications, { filter, expand, top: 1 }, signal)).rows[0] ?? null;
    },
    enabled: number !== undefined && /^\d{1,15}$/.test(number),
  });
  return { ...query, data: query.isPending ? listed : query.data };
}

/** The time zone of the reader. */

export function useReport(type: ReportType, number: string | undefined) {
  const nameOf = usePersonName();
  const read = useCommunication(number, ['tenant', 'workUnits', 'workUnitCommunicationActivities']);
  const communication = read.data;
  const report = useMemo<Report | undefined>(
    () =>
      communication
        ? communicationReport(
            type,
            {
              communication,
              tenantName: communication.tenant?.name ?? '',
              activities: communication.workUnitCommunicationActivities,
              workUnits: communication.workUnits,
              nameOf,
            },
            viewerZone(),
          )
        : undefined,
    [communication, type, nameOf],
  );
  return {
    report,
    isLoading: read.isLoading,
    isMissing: read.data === null || number === undefined,
    error: read.error,
    refetch: read.refetch,
  };
}
