/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Which attribute of which class stands for which key of the network configuration. Private to
 * asim-attributes.cc.
 */
#ifndef ASIM_ATTRIBUTE_ROWS_H
#define ASIM_ATTRIBUTE_ROWS_H

namespace ns3
{
namespace
{

struct Row
{
    const char* type;
    const char* attribute;
    const char* key;
};

/* Names are those of the RDMA modules in use where these have one. */
const Row ROWS[] = {
    {"ns3::RdmaHw", "Mtu", "PACKET_PAYLOAD_SIZE"},
    {"ns3::RdmaHw", "CcMode", "CC_MODE"},
    {"ns3::RdmaHw", "Cc", "CC"},
    {"ns3::RdmaHw", "L2ChunkSize", "L2_CHUNK_SIZE"},
    {"ns3::RdmaHw", "L2AckInterval", "L2_ACK_INTERVAL"},
    {"ns3::RdmaHw", "L2BackToZero", "L2_BACK_TO_ZERO"},
    {"ns3::RdmaHw", "NACKGenerationInterval", "NACK_INTERVAL"},
    {"ns3::RdmaHw", "LossRecovery", "LOSS_RECOVERY"},
    {"ns3::RdmaHw", "Rto", "RTO"},
    {"ns3::RdmaHw", "RtoRetries", "RTO_RETRIES"},
    {"ns3::RdmaHw", "HasWin", "HAS_WIN"},
    {"ns3::RdmaHw", "GlobalT", "GLOBAL_T"},
    {"ns3::RdmaHw", "VarWin", "VAR_WIN"},
    {"ns3::RdmaHw", "RateBound", "RATE_BOUND"},
    {"ns3::RdmaHw", "AckHighPrio", "ACK_HIGH_PRIO"},
    {"ns3::RdmaHw", "NicTotalPauseTime", "NIC_TOTAL_PAUSE_TIME"},
    {"ns3::RdmaHw", "MinRate", "MIN_RATE"},
    {"ns3::RdmaHw", "RateAI", "RATE_AI"},
    {"ns3::RdmaHw", "RateHAI", "RATE_HAI"},
    {"ns3::RdmaHw", "EwmaGain", "EWMA_GAIN"},
    {"ns3::RdmaHw", "ClampTargetRate", "CLAMP_TARGET_RATE"},
    {"ns3::RdmaHw", "AlphaResumInterval", "ALPHA_RESUME_INTERVAL"},
    {"ns3::RdmaHw", "RateDecreaseInterval", "RATE_DECREASE_INTERVAL"},
    {"ns3::RdmaHw", "RPTimer", "RP_TIMER"},
    {"ns3::RdmaHw", "FastRecoveryTimes", "FAST_RECOVERY_TIMES"},
    {"ns3::RdmaHw", "DctcpRateAI", "DCTCP_RATE_AI"},
    {"ns3::RdmaHw", "FastReact", "FAST_REACT"},
    {"ns3::RdmaHw", "MiThresh", "MI_THRESH"},
    {"ns3::RdmaHw", "TargetUtil", "U_TARGET"},
    {"ns3::RdmaHw", "MultiRate", "MULTI_RATE"},
    {"ns3::RdmaHw", "SampleFeedback", "SAMPLE_FEEDBACK"},
    {"ns3::RdmaHw", "IntMulti", "INT_MULTI"},
    {"ns3::RdmaHw", "PintLogBase", "PINT_LOG_BASE"},
    {"ns3::RdmaHw", "PintProb", "PINT_PROB"},
    {"ns3::RdmaHw", "SwiftTarget", "SWIFT_TARGET"},
    {"ns3::RdmaHw", "SwiftAI", "SWIFT_AI"},
    {"ns3::RdmaHw", "SwiftBeta", "SWIFT_BETA"},
    {"ns3::RdmaHw", "SwiftMaxMdf", "SWIFT_MAX_MDF"},
    {"ns3::SwitchNode", "EcnEnabled", "ENABLE_QCN"},
    {"ns3::SwitchNode", "AckHighPrio", "SWITCH_ACK_HIGH_PRIO"},
    {"ns3::SwitchNode", "LoadBalance", "LOAD_BALANCE"},
    {"ns3::SwitchNode", "PriorityGroup", "PRIORITY_GROUP"},
    {"ns3::SwitchNode", "PauseTime", "PAUSE_TIME"},
    {"ns3::SwitchNode", "DynamicThreshold", "USE_DYNAMIC_PFC_THRESHOLD"},
    {"ns3::SwitchNode", "KminMap", "KMIN_MAP"},
    {"ns3::SwitchNode", "KmaxMap", "KMAX_MAP"},
    {"ns3::SwitchNode", "PmaxMap", "PMAX_MAP"},
    {"ns3::SwitchMmu", "BufferSize", "BUFFER_SIZE"},
    {"ns3::SwitchMmu", "HeadroomFactor", "HEADROOM_FACTOR"},
    {"ns3::AsimFabric", "TimeBase", "TIME_BASE"},
    {"ns3::AsimFabric", "NvswitchEndpoints", "NVSWITCH_ENDPOINTS"},
    {"ns3::AsimFabric", "FrameExtraBytes", "FRAME_EXTRA_BYTES"},
    {"ns3::AsimFabric", "LinkDown", "LINK_DOWN"},
    {"ns3::AsimFabric", "LinkUp", "LINK_UP"},
    {"ns3::AsimFabric", "TopologyFile", "TOPOLOGY_FILE"},
    {"ns3::AsimFabric", "ErrorRatePerLink", "ERROR_RATE_PER_LINK"},
    {"ns3::AsimFabric", "FctOutputFile", "FCT_OUTPUT_FILE"},
    {"ns3::AsimFabric", "PfcOutputFile", "PFC_OUTPUT_FILE"},
    {"ns3::AsimFabric", "EnableTrace", "ENABLE_TRACE"},
    {"ns3::AsimFabric", "TraceFile", "TRACE_FILE"},
    {"ns3::AsimFabric", "TraceOutputFile", "TRACE_OUTPUT_FILE"},
    {"ns3::AsimFabric", "QlenMonFile", "QLEN_MON_FILE"},
    {"ns3::AsimFabric", "QlenMonStart", "QLEN_MON_START"},
    {"ns3::AsimFabric", "QlenMonEnd", "QLEN_MON_END"},
};

} // namespace
} // namespace ns3

#endif
