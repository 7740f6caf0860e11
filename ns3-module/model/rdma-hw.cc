/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "rdma-hw.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHw);

TypeId
RdmaHw::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHw")
            .SetParent<Object>()
            .SetGroupName("Asim")
            .AddConstructor<RdmaHw>()
            .AddAttribute("Mtu",
                          "Payload bytes of a full frame (PACKET_PAYLOAD_SIZE).",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaHw::m_mtu),
                          MakeUintegerChecker<uint32_t>(1, 65000))
            .AddAttribute("CcMode",
                          "Congestion control by its published number (CC_MODE); 12 = none.",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RdmaHw::m_ccMode),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("L2ChunkSize",
                          "Bytes between forced ACKs (L2_CHUNK_SIZE).",
                          UintegerValue(4000),
                          MakeUintegerAccessor(&RdmaHw::m_chunk),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("L2AckInterval",
                          "Packets ending at or beyond this offset are ACKed (L2_ACK_INTERVAL).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaHw::m_ackInterval),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("L2BackToZero",
                          "Go back to the start of the chunk on a gap (L2_BACK_TO_ZERO).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaHw::m_backToZero),
                          MakeBooleanChecker())
            .AddAttribute("HasWin",
                          "Limit the bytes in flight to the bandwidth-delay product (HAS_WIN).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHw::m_hasWin),
                          MakeBooleanChecker())
            .AddAttribute("GlobalT",
                          "Use the largest RTT and window of the network for all (GLOBAL_T).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaHw::m_globalT),
                          MakeBooleanChecker())
            .AddAttribute("VarWin",
                          "Scale the window with the rate (VAR_WIN).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHw::m_varWin),
                          MakeBooleanChecker())
            .AddAttribute("RateBound",
                          "Pace at the current rate rather than the line rate (RATE_BOUND).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaHw::m_rateBound),
                          MakeBooleanChecker())
            .AddAttribute("AckHighPrio",
                          "ACKs obey the pause of queue 0 instead of the data's (ACK_HIGH_PRIO).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaHw::m_ackHighPrio),
                          MakeBooleanChecker())
            .AddAttribute("MinRate",
                          "Floor of the sending rate (MIN_RATE).",
                          DataRateValue(DataRate("100Mb/s")),
                          MakeDataRateAccessor(&RdmaHw::m_minRate),
                          MakeDataRateChecker())
            .AddTraceSource("QpComplete",
                            "A message sent from here is complete. Fires when its window is "
                            "settled; at its own time with W = 0.",
                            MakeTraceSourceAccessor(&RdmaHw::m_qpComplete),
                            "ns3::RdmaHw::QpCompleteCallback");
    return tid;
}

RdmaHw::RdmaHw() = default;

void
RdmaHw::Adopt(const asim_netconf& conf)
{
    m_mtu = conf.payload_bytes;
    m_ccMode = conf.cc_mode;
    m_chunk = conf.l2_chunk_bytes;
    m_ackInterval = conf.l2_ack_interval_bytes;
    m_backToZero = conf.l2_back_to_zero;
    m_hasWin = conf.has_win;
    m_globalT = conf.global_t;
    m_varWin = conf.var_win;
    m_rateBound = conf.rate_bound;
    m_ackHighPrio = conf.ack_high_prio;
    m_minRate = DataRate(conf.min_rate_bps);
}

} // namespace ns3
