import { ListPage } from '../../resource/list-page.tsx';
import { DeviceCounters } from './device-counters.tsx';
import { versionReportView } from './version-report.view.tsx';

export function VersionReportPage() {
  return (
    <ListPage
      view={versionReportView}
      filterBar={
        <>
          <span className="grow" />
          <DeviceCounters />
        </>
      }
    />
  );
}
