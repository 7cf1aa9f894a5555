// Declares the names of Metal and Foundation that PyTorch's headers use in Objective-C++ (ATen/mps, and
// ATen/native/mps/MetalShaderLibrary.h), so that Linux compiles for a Mac. Never linked or shipped.
#pragma once
#import <dispatch/dispatch.h>
#import <objc/NSObject.h>

@class NSDictionary, NSError, NSString, NSURL;
@class MTLCaptureManager, MTLCompileOptions, MTLSharedEventListener;
@protocol MTLBuffer
, MTLCommandBuffer, MTLCommandQueue, MTLComputeCommandEncoder, MTLComputePipelineState;
@protocol MTLDevice
, MTLFunction, MTLLibrary, MTLSharedEvent;

typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer>);
typedef void (^MTLSharedEventNotificationBlock)(id<MTLSharedEvent>, uint64_t);
