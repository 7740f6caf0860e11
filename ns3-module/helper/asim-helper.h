/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A run of traces over the packet network from a C++ program, in ns-3's manner: name the inputs,
 * Install, connect trace sources, Run. Attributes changed before Install (Config::SetDefault, the
 * command line) go before the network configuration, as in AstraSimNetwork.
 */
#ifndef ASIM_HELPER_H
#define ASIM_HELPER_H

#include "ns3/asim-fabric.h"

#include "ns3/output-stream-wrapper.h"
#include "ns3/trace-helper.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class AsimHelper
{
  public:
    AsimHelper();
    ~AsimHelper();
    AsimHelper(const AsimHelper&) = delete;
    AsimHelper& operator=(const AsimHelper&) = delete;

    /** An option of AstraSimNetwork by its name, such as "workload" or "out"; aborts if there is
     *  none. Result lines are not printed, and nothing is compared. */
    void Set(const std::string& option, const std::string& value);
    /** Once. Reads the inputs, opens the reports and builds nodes, devices and channels; aborts with the
     *  core's sentence. Notes go to std::cerr. */
    Ptr<AsimFabric> Install();
    /** The same, but nothing where Install aborts; GetError tells why. */
    Ptr<AsimFabric> TryInstall();
    /** Simulator::Run until all ranks have finished; 0, or the core's failure code: ASIM_EINTR
     *  after Simulator::Stop, which ends the run for good. From time 0 on. */
    int Run();
    uint32_t GetNRanks() const;
    /** Time at which a rank finished, after Run. */
    Time GetFinishTime(uint32_t rank) const;
    /** Why Run or TryInstall failed. */
    const std::string& GetError() const;

    /** The frames that pass a device as a capture (PPP, IPv4): prefix-node-interface.pcap. Both
     *  select per-event mode, as every sink of frames does. */
    void EnablePcap(const std::string& prefix, Ptr<QbbNetDevice> device);
    /** A line per event of every device: + queued, - sent, r received, d lost. */
    void EnableAsciiAll(Ptr<OutputStreamWrapper> stream);

  private:
    static int IsStopped(void* self);

    asim_settings m_settings{};
    bool m_stopped{false}; //!< Simulator::Stop came before the end
    asim_world* m_world{nullptr};
    Ptr<AsimFabric> m_fabric;
    std::string m_error;
};

} // namespace ns3

#endif
